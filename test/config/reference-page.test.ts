import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { configSchemaFile, configurationPage } from '../../src/config/reference-page.ts'
import { settings } from '../../src/config/setting.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

t.test('the generated files are up to date; `npm run generate` makes them so', async (t) => {
  t.equal(readFileSync(join(packageRoot, 'docs/configuration.md'), 'utf8'), configurationPage())
  t.equal(readFileSync(join(packageRoot, 'mooring.schema.json'), 'utf8'), configSchemaFile())
})

t.test('the page shows every setting with its names', async (t) => {
  const page = configurationPage()

  for (const { path, flag, variable } of settings) t.ok(page.includes(`| \`${path}\` | \`${flag}\` | \`${variable}\` |`), path)
})

t.test('an editor is told that nothing needs to be there and nothing unknown may', async (t) => {
  const isGroup = (node: unknown): node is { properties: Record<string, unknown>, required?: unknown, additionalProperties?: unknown } =>
    typeof node === 'object' && node !== null && 'properties' in node

  function check (node: unknown, path: string): void {
    if (!isGroup(node)) return
    t.equal(node.required, undefined, `${path} needs nothing`)
    t.equal(node.additionalProperties, false, `${path} takes nothing unknown`)
    for (const [key, member] of Object.entries(node.properties)) check(member, `${path}.${key}`)
  }

  const schema: unknown = JSON.parse(configSchemaFile())
  check(schema, 'mooring.yaml')
  t.match(schema, { $schema: 'http://json-schema.org/draft-07/schema#', properties: { server: { properties: { port: { type: 'integer', default: 8484 } } } } })
})
