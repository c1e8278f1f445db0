import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bannerOf, spawnGateway } from '../support/gateway-process.ts'

async function scratchFolder (t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-process-'))
  t.teardown(async () => await rm(folder, { recursive: true, force: true }))
  return folder
}

t.test('a place where no state can be kept is one error, and ends it', async (t) => {
  const folder = await scratchFolder(t)
  await writeFile(join(folder, 'file'), '')
  const places = [join(folder, 'file'), ...(process.platform === 'linux' ? ['/proc/nope'] : [])]

  for (const place of places) {
    const { exited, shown } = spawnGateway(t, ['--port', '0', '--state-dir', place, '--log-level', 'error'], folder)

    t.equal(await exited, 1)
    t.match(shown.stderr, /^mooring: The database .* cannot be opened for writing \(E[A-Z]+\)\.\n.*--state-dir\.\n$/)
  }
})

t.test('the state directory that nobody named is closed to other users', async (t) => {
  const home = await scratchFolder(t)
  const state = join(home, '.local', 'state', 'mooring')
  await mkdir(state, { recursive: true })
  await chmod(state, 0o755)

  await bannerOf(spawnGateway(t, ['--port', '0'], home))

  t.equal((await stat(state)).mode & 0o777, 0o700)
})
