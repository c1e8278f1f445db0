import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Gateway {
  /** Of its MCP endpoint. */
  readonly url: string
  readonly token: string
  /** Stops it and removes its state. Throws when it did not stop cleanly. */
  stop (): Promise<void>
}

// Compiled or from its source, like this file itself.
const program = fileURLToPath(new URL(`../src/cli/main${extname(import.meta.url)}`, import.meta.url))

/**
 * Starts a gateway of its own: on a free port, with a state directory that goes with it.
 * `signal` gives up on one that is not ready yet.
 */
export async function startGateway ({ signal }: { readonly signal: AbortSignal }): Promise<Gateway> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-demo-'))
  const child = spawn(
    process.execPath, [...process.execArgv, program, 'serve', '--port', '0', '--state-dir', stateDir, '--log-level', 'warn'],
    { cwd: stateDir, stdio: ['ignore', 'pipe', 'inherit'], env: withoutSettings(process.env, stateDir) }
  )
  const ended = once(child, 'exit')
  const giveUp = (): void => { child.kill('SIGKILL') }
  signal.addEventListener('abort', giveUp)
  try {
    signal.throwIfAborted()
    const url = await printedUrl(child)
    const token = (await readFile(join(stateDir, 'token'), 'utf8')).trim()
    return {
      url,
      token,
      async stop () {
        child.kill('SIGTERM')
        const [code]: unknown[] = await ended
        await rm(stateDir, { recursive: true, force: true })
        if (code !== 0) throw new Error(`the gateway ended with ${String(code)}`)
      }
    }
  } catch (error) {
    giveUp()
    await ended
    await rm(stateDir, { recursive: true, force: true })
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Reads what the gateway tells a person, as a person would. */
async function printedUrl ({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the gateway has no output')
  for await (const line of createInterface({ input: stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0]
    if (url === undefined) continue
    // The rest of what it prints has no reader, and must not fill the pipe.
    stdout.resume()
    return url
  }
  throw new Error('the gateway ended before it was ready')
}

/** The demo shows the defaults, whatever the shell it is started from and this user's mooring.yaml say. */
function withoutSettings (env: NodeJS.ProcessEnv, configDir: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MOORING_'))),
    XDG_CONFIG_HOME: configDir,
    // The same on Windows.
    APPDATA: configDir
  }
}
