import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { publishedLists } from '../../scripts/published-lists.ts'
import { wideJson } from '../../scripts/support/wide-json.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

t.test('what clients of each revision are told of what there is stands in test/published; `npm run generate` writes it', async (t) => {
  const files = await publishedLists()

  // Line by line, so that a difference shows what has changed and not two whole lists.
  for (const [file, text] of Object.entries(files)) t.equal(readFileSync(join(packageRoot, file), 'utf8'), text, file)
  t.same(readdirSync(join(packageRoot, 'test/published')).sort(), Object.keys(files).map((file) => file.slice('test/published/'.length)).sort())
})

t.test('what fits on a line stands on one, and reads back as it was', async (t) => {
  const value = { a: [], b: {}, c: [1, 'two', null, { d: 'x'.repeat(90) }], 'e"': { f: true } }

  t.equal(wideJson(value), [
    '{', '  "a": [],', '  "b": {},', '  "c": [', '    1,', '    "two",', '    null,',
    `    { "d": "${'x'.repeat(90)}" }`, '  ],', '  "e\\"": { "f": true }', '}', ''
  ].join('\n'))
  t.same(JSON.parse(wideJson(value)), value)
})
