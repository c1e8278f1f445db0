import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'

t.test('the session by hand in the README prints what stands below it', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-readme-'))
  t.teardown(async () => await rm(stateDir, { recursive: true, force: true }))
  const { port, token } = await startGatewayProcess(t, { stateDir })
  const readme = await readFile(join(packageRoot, 'README.md'), 'utf8')
  const [, command = ''] = /```sh\n(curl [^]*?)```/.exec(readme) ?? []
  const [shown = ''] = /^Lease ls_.*\n.*$/m.exec(readme) ?? []

  const printed = await new Promise<string>((resolve, reject) => {
    execFile('sh', ['-c', command.replaceAll('8484', String(port))], {
      env: { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), MOORING_TOKEN: token }
    }, (error, stdout) => { if (error === null) resolve(stdout); else reject(error) })
  })

  const withoutFacts = (text: string): string => text.trim().replace(/ls_[\w-]+/, 'ls_…').replace(/ until .*/, ' until …')
  t.equal(withoutFacts(printed), withoutFacts(shown))
})
