import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const program = fileURLToPath(new URL(`./stalled-program${extname(import.meta.url)}`, import.meta.url))

async function run (t: Test, how: string) {
  const child = spawn(process.execPath, [...process.execArgv, program, how], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => { said += text })
  const ended = once(child, 'close')
  if (how !== 'idle') {
    await once(child.stdout, 'data')
    // No handler of the loop hears it.
    child.kill('SIGTERM')
  }
  const [code, signal] = await ended
  return { code, signal, said }
}

t.test('a process whose loop stands still is ended, though it hears no signal', async (t) => {
  t.match(await run(t, 'stalled'), { code: null, signal: 'SIGKILL', said: /^mooring has not answered for \d+ s and is killed\.\n$/ })
})

t.test('a process that is stopping when its loop stands still is gone by its deadline', async (t) => {
  t.match(await run(t, 'stopping'), { signal: 'SIGKILL', said: 'mooring did not stop in time, and is killed.\n' })
})

t.test('a process that answers is left alone, and ends when its work does', async (t) => {
  t.match(await run(t, 'idle'), { code: 0, signal: null })
})
