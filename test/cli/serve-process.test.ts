import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

// Compiled or from its source, like this file itself.
const program = fileURLToPath(new URL(`./serving-program${extname(import.meta.url)}`, import.meta.url))

function start (t: Test, { app = '', flags = ['--port', '0'] } = {}) {
  const child = spawn(process.execPath, [...process.execArgv, program, ...flags], {
    cwd: t.testdir(),
    env: { PATH: process.env.PATH, HOME: t.testdir(), APP: app },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'close').then(([code]) => Number(code))
  const shown = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => { shown.stdout += text })
  child.stderr.setEncoding('utf8').on('data', (text: string) => { shown.stderr += text })

  async function saw (text: string): Promise<void> {
    while (!shown.stdout.includes(text)) await Promise.race([once(child.stdout, 'data'), once(child.stdout, 'close')])
  }

  return { child, exited, shown, saw }
}

t.test('a signal stops it with 0, and the port is free again', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, exited, shown, saw } = start(t)
    await saw('Stop with Ctrl-C.')
    const [url = ''] = /http:\S+/.exec(shown.stdout) ?? []
    t.equal(await (await fetch(url)).text(), 'served', url)

    child.kill(signal)

    t.equal(await exited, 0, signal)
    t.equal(shown.stderr, '')
    await t.rejects(fetch(url))
  }
})

t.test('a hanging start-up and a hanging stop end with 1', async (t) => {
  for (const [app, sign] of [['hangs-at-start', 'starting up'], ['hangs-at-stop', 'Stop with Ctrl-C.']] as const) {
    const { child, exited, shown, saw } = start(t, { app, flags: ['--port', '0', '--shutdown-ms', '100'] })
    await saw(sign)

    child.kill('SIGTERM')

    t.equal(await exited, 1, app)
    t.match(shown.stderr, /cannot stop cleanly within 100 ms/)
  }
})

t.test('what nobody caught ends it with 1, whether it was thrown or rejected', async (t) => {
  for (const [app, message] of [['throws', 'thrown in a callback'], ['rejects', 'rejected and not handled']] as const) {
    const { exited, shown } = start(t, { app })

    t.equal(await exited, 1)
    t.match(shown.stderr, `mooring stops because of an error: ${message}`)
    t.match(shown.stderr, '{"msg":"uncaught error, stopping"}')
  }
})

t.test('a port in use ends it with 1 and leaves the other program alone', async (t) => {
  const other = createServer()
  other.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''

  const { exited, shown } = start(t, { flags: ['--port', port] })

  t.equal(await exited, 1)
  t.match(shown.stderr, `cannot listen on 127.0.0.1:${port}: another program`)
  t.equal(shown.stdout, '')
})

t.test('wrong settings end it with 2', async (t) => {
  const { exited, shown } = start(t, { flags: ['--prot', '1'] })

  t.equal(await exited, 2)
  t.match(shown.stderr, '--prot: there is no such flag; did you mean --port?')
})

t.test('it goes on when nobody reads what it prints', async (t) => {
  const { child, exited, saw } = start(t)
  await saw('Stop with Ctrl-C.')

  child.stdout.destroy()
  child.kill('SIGTERM')

  t.equal(await exited, 0, 'that it is stopping is told to nobody, and it stops nevertheless')
})
