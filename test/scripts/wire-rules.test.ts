import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { gapsOf, readWireRules, unknownCitations, wireRulesPage } from '../../scripts/wire-rules.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

t.test('docs/wire-rules.md is up to date; `npm run generate` makes it so', async (t) => {
  t.equal(readFileSync(join(packageRoot, 'docs/wire-rules.md'), 'utf8'), wireRulesPage(readWireRules()))
})

t.test('every MUST and every project rule that binds mooring now is cited by a test', async (t) => {
  t.same(gapsOf(readWireRules()).map(({ id, says }) => `${id}: ${says}`), [])
})

t.test('neither code nor tests cite a rule that does not exist', async (t) => {
  t.same(unknownCitations(readWireRules()), [])
})

t.test('a rule counts as tested in names and comments of test files, one by one or as a range', async (t) => {
  // Put together here, so that this file itself cites nothing.
  const rule = (family: string, number: string): string => `${family}-${number}`
  const folder = t.testdir()
  mkdirSync(join(folder, 'http'))
  writeFileSync(join(folder, 'http', 'some.test.ts'), [
    `t.test('${rule('HDR', '01')}…${rule('HDR', '03')}: a name')`, `// ${rule('LIST', '04')}…05 in a comment, and ${rule('RPC', '99')} by mistake`
  ].join('\n'))
  writeFileSync(join(folder, 'support.ts'), `// ${rule('RPC', '01')} is not tested by a helper`)

  const rules = readWireRules(folder)
  const tested = rules.filter(({ tests }) => tests.length > 0)
  const gaps = gapsOf(rules).map(({ id }) => id)

  t.same(tested.map(({ id }) => id), [rule('HDR', '01'), rule('HDR', '02'), rule('HDR', '03'), rule('LIST', '04'), rule('LIST', '05')])
  t.same(tested[0]?.tests, ['http/some.test.ts'])
  t.ok(gaps.includes(rule('RPC', '01')))
  t.notOk(gaps.includes(rule('HDR', '05')), 'a duty of clients is no gap')
  t.same(unknownCitations(rules, [folder]), [rule('RPC', '99')])
})
