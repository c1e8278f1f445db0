import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runCommand } from '../../src/cli/run-command.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { packageVersion } from '../../src/runtime/package-root.ts'
import { manualTime } from '../support/manual-time.ts'
import { fakeProcess } from './fake-process.ts'

/** Runs a command whose app cannot be built: that it was asked for is all these tests want to know. */
async function run (...argv: string[]) {
  const nowhere = join(tmpdir(), 'mooring-nowhere')
  const process = fakeProcess()
  const { clock, scheduler } = manualTime()
  let built = 0
  const code = await runCommand({
    sources: { argv, env: { HOME: nowhere }, cwd: nowhere },
    process,
    clock,
    scheduler,
    ids: randomIds,
    async buildApp () {
      built++
      throw new Error('nothing to build')
    }
  })
  return { code, ...process.shown, built }
}

t.test('without a command, and with flags alone, it serves', async (t) => {
  for (const argv of [[], ['serve'], ['--port', '0'], ['serve', '--port', '0']]) t.match(await run(...argv), { built: 1, code: 1 }, argv.join(' '))
})

t.test('help and version answer without serving, wherever they stand', async (t) => {
  for (const argv of [['help'], ['--help'], ['-h'], ['serve', '--help'], ['--prot', '1', '--help'], ['help', 'serve']]) {
    const { code, stdout, stderr, built } = await run(...argv)
    t.match({ code, stderr, built }, { code: 0, stderr: '', built: 0 })
    t.match(stdout, /^mooring: .*\n\nUsage: mooring \[command\] \[flags\]\n/, argv.join(' '))
    for (const command of ['serve', 'help', 'version']) t.match(stdout, new RegExp(`^  ${command} `, 'm'))
  }
  for (const argv of [['version'], ['--version'], ['-v'], ['serve', '--version']]) {
    t.strictSame(await run(...argv), { code: 0, stdout: `${packageVersion}\n`, stderr: '', built: 0 }, argv.join(' '))
  }
})

t.test('an unknown command is a mistake, with the nearest one', async (t) => {
  t.strictSame(await run('sevre'), {
    code: 2, stdout: '', stderr: 'mooring: there is no command sevre; did you mean serve?\nRun `mooring help` to see the commands.\n', built: 0
  })
  t.match(await run('dance', '--port', '0'), { code: 2, stderr: /^mooring: there is no command dance\n/, built: 0 })
})

t.test('an unknown flag is a mistake', async (t) => {
  t.match(await run('serve', '--prot'), { code: 2, stderr: /--prot: there is no such flag; did you mean --port\?/, built: 0 })
})
