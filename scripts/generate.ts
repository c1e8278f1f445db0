/** Writes the files that are made from the code, so that people and editors can read them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configSchemaFile, configurationPage } from '../src/config/reference-page.ts'
import { packageRoot } from '../src/runtime/package-root.ts'
import { errorsPage } from './errors-page.ts'
import { openapiDocument } from './openapi-document.ts'
import { publishedLists } from './published-lists.ts'
import { readWireRules, wireRulesPage } from './wire-rules.ts'

const files = {
  'docs/configuration.md': configurationPage(),
  'docs/errors.md': errorsPage(),
  'docs/wire-rules.md': wireRulesPage(readWireRules()),
  'mooring.schema.json': configSchemaFile(),
  'openapi/openapi.json': await openapiDocument(),
  ...await publishedLists()
}

for (const [name, content] of Object.entries(files)) {
  writeFileSync(join(packageRoot, name), content)
  console.log(`wrote ${name}`)
}
