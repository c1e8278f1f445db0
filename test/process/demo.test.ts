import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

// Compiled or from its source, like this file itself.
const program = fileURLToPath(new URL(`../../demo/main${extname(import.meta.url)}`, import.meta.url))

/** Starts the demo with a home and a folder for temporary files of its own. */
async function startDemo (t: Test, flags: readonly string[] = []) {
  const home = await mkdtemp(join(tmpdir(), 'mooring-demo-test-'))
  t.teardown(async () => await rm(home, { recursive: true, force: true }))
  const [temporary, out, config] = [join(home, 'tmp'), join(home, 'out'), join(home, '.config', 'mooring')]
  for (const folder of [temporary, config]) await mkdir(folder, { recursive: true })
  await writeFile(join(config, 'mooring.yaml'), 'settings of somebody: who is not in the demo\n')

  const watcher = watch(temporary)
  t.teardown(() => watcher.close())
  const hasBegun = once(watcher, 'change')

  // Compiled it needs nothing of what the test runner loads, some of which leaves files in TMPDIR.
  const loader = extname(program) === '.ts' ? process.execArgv : []
  const child = spawn(process.execPath, [...loader, program, '--out', out, ...flags], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary, MOORING_PORT: 'nonsense' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => { child.kill('SIGKILL') })
  const shown = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => { shown.stdout += text })
  child.stderr.setEncoding('utf8').on('data', (text: string) => { shown.stderr += text })
  const exited = once(child, 'close').then(([code]) => Number(code))
  return { child, shown, exited, out, hasBegun, leftovers: async () => await readdir(temporary) }
}

for (const [version, flags] of [['2026-07-28', []], ['2025-11-25', ['--legacy']]] as const) {
  t.test(`the demo tells its story over MCP ${version}, whatever the user has set, and leaves only the screenshots`, async (t) => {
    const { shown, exited, out, leftovers } = await startDemo(t, flags)

    t.equal(await exited, 0, shown.stderr)

    t.match(shown.stdout, `MCP ${version}`)
    t.match(shown.stdout, 'give the phone back')
    const pictures = await readdir(out)
    t.same(pictures.sort(), ['1-home.png', '2-refused.png', '3-notes.png', '4-detail.png'])
    for (const picture of pictures) t.match((await readFile(join(out, picture))).toString('latin1'), /^\x89PNG/)
    t.same(await leftovers(), [])
  })
}

t.test('interrupted at any time, the demo stops its gateway and leaves nothing', async (t) => {
  for (const [signal, code, moment] of [['SIGINT', 130, 'a folder'], ['SIGTERM', 143, 'a gateway']] as const) {
    const { child, shown, exited, hasBegun, leftovers } = await startDemo(t)
    await (moment === 'a gateway' ? once(child.stdout, 'data') : hasBegun)

    child.kill(signal)

    t.equal(await exited, code, `${moment}: ${shown.stderr}`)
    t.same(await leftovers(), [], moment)
  }
})
