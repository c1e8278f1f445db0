import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { mcpWire, type Wire } from './mcp-wire.ts'

export interface GatewayProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** What it has printed so far. */
  readonly shown: { stdout: string, stderr: string }
  /** The code it ended with, `null` for a signal. */
  readonly exited: Promise<number | null>
  readonly port: number
  readonly token: string
  readonly wire: Wire
}

// Compiled or from its source, like this file itself.
const program = fileURLToPath(new URL(`../../src/cli/main${extname(import.meta.url)}`, import.meta.url))

/** Starts the `mooring` command as a process of its own, and waits until it has said where it is. */
export async function startGatewayProcess (
  t: Test, { stateDir, flags = [], largestFileBytes }: { stateDir: string, flags?: readonly string[], largestFileBytes?: number }
): Promise<GatewayProcess> {
  const started = spawnGateway(t, ['--port', '0', '--state-dir', stateDir, ...flags], stateDir, largestFileBytes)
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(await bannerOf(started))?.[1])
  const token = (await readFile(join(stateDir, 'token'), 'utf8')).trim()
  return { ...started, port, token, wire: mcpWire({ port, token }) }
}

/** Waits for what it prints once it is ready. */
export async function bannerOf ({ child, shown, exited }: Pick<GatewayProcess, 'child' | 'shown' | 'exited'>): Promise<string> {
  while (!shown.stdout.includes('Stop with')) {
    await Promise.race([once(child.stdout, 'data'), exited.then((code) => { throw new Error(`it ended with ${String(code)}: ${shown.stderr}`) })])
  }
  return shown.stdout
}

/** Starts it without waiting for anything; with a bound, no file that it writes grows beyond that. */
export function spawnGateway (
  t: Test, flags: readonly string[], cwd: string, largestFileBytes?: number
): Pick<GatewayProcess, 'child' | 'shown' | 'exited'> {
  const command = [process.execPath, ...process.execArgv, program, 'serve', ...flags]
  const bounded = largestFileBytes === undefined
    ? command
    : ['/bin/sh', '-c', `ulimit -f ${Math.ceil(largestFileBytes / 512)} && exec "$@"`, 'sh', ...command]
  const [file = '', ...args] = bounded
  const child = spawn(file, args, {
    cwd, env: { PATH: process.env['PATH'], HOME: cwd }, stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => { child.kill('SIGKILL') })
  const shown = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => { shown.stdout += text })
  child.stderr.setEncoding('utf8').on('data', (text: string) => { shown.stderr += text })
  return { child, shown, exited: once(child, 'close').then(([code]) => code as number | null) }
}
