import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openapiDocument } from '../../scripts/openapi-document.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('what the user has set is not in the tests, and not in what is generated', async (t) => {
  const home = t.testdir()
  mkdirSync(join(home, '.config', 'mooring'), { recursive: true })
  writeFileSync(join(home, '.config', 'mooring', 'mooring.yaml'), 'settings of somebody: who is not here\n')
  const { HOME } = process.env
  t.teardown(() => { process.env['HOME'] = HOME })
  process.env['HOME'] = home

  await t.resolves(startTestApp(t))
  await t.resolves(openapiDocument())
})
