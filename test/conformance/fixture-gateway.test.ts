import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { settings } from '../../src/config/setting.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { startFixtureGateway } from './fixture-gateway.ts'

t.test('production refuses the fixtures', async (t) => {
  await t.rejects(startFixtureGateway({ NODE_ENV: 'production' }), { message: /not served under NODE_ENV=production/ })
})

t.test('neither a setting nor a line of the server leads to the fixtures', async (t) => {
  t.same(settings.filter(({ path }) => /fixture|conformance/i.test(path)), [])
  const files = ['src', 'plugins', 'routes'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => join(packageRoot, folder, file)))
  t.ok(files.length > 100)
  t.same(files.filter((file) => /test\/conformance|test_simple_text/.test(readFileSync(file, 'utf8'))), [])
})
