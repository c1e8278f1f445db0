import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const running = new Set<ChildProcess>()

const endings = { SIGINT: () => process.exit(130), SIGTERM: () => process.exit(143), exit: killAll } as const

// However this process ends, it leaves no child behind. While it has none, signals end it as they always do.
function begin (child: ChildProcess): void {
  if (running.size === 0) for (const [event, end] of Object.entries(endings)) process.once(event, end)
  running.add(child)
}

function end (child: ChildProcess): void {
  running.delete(child)
  if (running.size === 0) for (const [event, end] of Object.entries(endings)) process.off(event, end)
}

function killAll (): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface StartedProcess {
  readonly child: ChildProcess
  /** The code it ended with, `null` for a signal. */
  readonly exited: Promise<number | null>
  /** What it wrote to stderr, the end of it. */
  errors (): string
  /** Ends it at once, with nothing it could do about that. */
  kill (): Promise<void>
}

const keptErrors = 20_000

/** Starts a program of this repository. `ipc` opens a channel to it. */
export function startProgram (program: string, args: readonly string[], { cwd, ipc = false, nodeFlags = [] }: {
  readonly cwd: string
  readonly ipc?: boolean
  readonly nodeFlags?: readonly string[]
}): StartedProcess {
  const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
    cwd,
    // Neither the settings nor the home of the user that runs this reach it.
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])]
  })
  return watch(child)
}

/** Starts a module of ours that talks to its parent. */
export function forkModule (module: string, env: Readonly<Record<string, string>>): StartedProcess {
  return watch(fork(module, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }))
}

function watch (child: ChildProcess): StartedProcess {
  begin(child)
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { errors = (errors + text).slice(-keptErrors) })
  const exited = once(child, 'close').then(([code]) => {
    end(child)
    return code as number | null
  })
  return {
    child,
    exited,
    errors: () => errors,
    async kill () {
      child.kill('SIGKILL')
      await exited
    }
  }
}

/** The port in what a gateway prints once it is ready. */
export async function announcedPort ({ child, exited, errors }: StartedProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the gateway has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(line)?.[1]
    if (port === undefined) continue
    // The rest of what it prints has no reader, and must not fill the pipe.
    child.stdout.resume()
    return Number(port)
  }
  throw new Error(`the gateway ended with ${String(await exited)} before it was ready: ${errors()}`)
}

/** Asks a child; it answers in order. */
export async function ask ({ child, exited, errors }: StartedProcess, question: unknown): Promise<unknown> {
  const settled = new AbortController()
  const answered = once(child, 'message', { signal: settled.signal }).then(([answer]: unknown[]) => answer)
  try {
    child.send(question as object)
    return await Promise.race([answered, exited.then((code) => { throw new Error(`a child ended with ${String(code)}: ${errors()}`) })])
  } finally {
    settled.abort()
  }
}
