import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'

t.test('every command on the page for operators works as it stands there, one after the other', async (t) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-operations-'))
  t.teardown(async () => await rm(stateDir, { recursive: true, force: true }))
  const { port, token, wire } = await startGatewayProcess(t, { stateDir })
  const page = await readFile(join(packageRoot, 'docs', 'operations.md'), 'utf8')
  const [definitions = '', ...blocks] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block)
  const [, ask = ''] = /^(ask .*)$/m.exec(definitions) ?? []
  await wire.call('acquireDevice', { device: 'virtual-android-1', purpose: 'nightly' })

  const printed = new Map<string, any>()
  let removed: Promise<string> | undefined
  for (const command of blocks.flatMap((block) => block.trim().split('\n'))) {
    printed.set(command, JSON.parse(await run(`${ask}\n${await withRequestOf(command)}`)))
  }

  t.ok(printed.size >= 12)
  for (const [command, answer] of printed) {
    if (command.startsWith('ask /heartbeat')) t.same(answer, { error: 'Session not found' })
    else t.notOk('error' in answer, `${command}: ${JSON.stringify(answer)}`)
  }
  t.match(printed.get('ask /leases').leases, [{ id: 'virtual-android-1:1', holder: 'local', purpose: 'nightly' }])
  t.match([...printed.values()].find(({ lease }) => lease !== undefined), { lease: { end: { reason: 'revoked' } } })
  t.match(await removed, /request_removed/)
  t.match(printed.get("ask '/audit?limit=20'").entries[0], { event: String, device: 'virtual-android-1' })

  /** The page cannot know the id of a request that waits: it stands for the one of a request that does. */
  async function withRequestOf (command: string): Promise<string> {
    if (!command.startsWith('ask /queue/request-')) return command
    await wire.call('acquireDevice', { device: 'virtual-android-1' })
    const waiting = wire.modern('tools/call', { name: 'acquireDevice', arguments: { device: 'virtual-android-1', waitMs: 60_000 } })
    removed = waiting.then(({ text }) => text)
    for (;;) {
      const { waiting: [first] } = JSON.parse(await run(`${ask}\nask /queue`))
      if (first !== undefined) return command.replace(/request-[0-9a-f]+-\d+/, first.id)
    }
  }

  async function run (script: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      execFile('sh', ['-c', script.replaceAll('8484', String(port))], {
        env: { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), MOORING_TOKEN: token }
      }, (error, stdout) => { if (error === null) resolve(stdout); else reject(error) })
    })
  }
})
