import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const program = fileURLToPath(new URL(`../../src/cli/main${extname(import.meta.url)}`, import.meta.url))

/** Starts a gateway below a shell, as npm does, and waits until it is ready. */
async function startBelowShell (t: Test, env: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  // The second command keeps shells from handing their process over to the first.
  const shell = spawn('/bin/sh', ['-c', '"$@"; true', 'sh', process.execPath, ...process.execArgv, program, 'serve', '--port', '0', '--state-dir', home], {
    cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env }, stdio: ['ignore', 'pipe', 'inherit'], detached: true
  })
  const { pid } = shell
  if (pid === undefined) throw new Error('there is no shell')
  const kill = (): void => { try { process.kill(-pid, 'SIGKILL') } catch {} }
  t.teardown(kill)
  const shown = { stdout: '' }
  shell.stdout.setEncoding('utf8').on('data', (text: string) => { shown.stdout += text })
  while (!shown.stdout.includes('Stop with')) await once(shell.stdout, 'data')
  /** Resolves when the last process that had the pipe is gone. */
  return { shell, shown, kill, ended: once(shell, 'close') }
}

t.test('a gateway that `npm start` started stops when the shell of npm has ended, which passes no signal on', async (t) => {
  const { shell, shown, ended } = await startBelowShell(t, { npm_lifecycle_event: 'start', npm_package_name: 'mooring' })

  shell.kill('SIGTERM')
  await ended

  t.match(shown.stdout, /mooring is stopping\./)
})

t.test('one that a script of another package put into the background stays', async (t) => {
  const { shell, shown, kill, ended } = await startBelowShell(t, { npm_lifecycle_event: 'start', npm_package_name: 'phones' })

  shell.kill('SIGTERM')
  await once(shell, 'exit')
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(shown.stdout)?.[1])

  t.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 401)
  kill()
  await ended
  t.notMatch(shown.stdout, /mooring is stopping/)
})
