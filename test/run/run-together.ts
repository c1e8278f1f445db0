import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { reportDescriptor, reportLine, type FileResult } from './file-report.ts'
import { longestSilenceMs } from './limits.ts'

const program = fileURLToPath(new URL(`./one-process${extname(import.meta.url)}`, import.meta.url))

/** So much of what a process printed is shown when it does not end as it should. */
const keptCharacters = 4_000

const running = new Set<ChildProcess>()
process.once('exit', () => { for (const child of running) child.kill('SIGKILL') })

export interface RunOptions {
  /** Of the process. */
  readonly env: NodeJS.ProcessEnv
  readonly onResult: (result: FileResult) => void
}

/**
 * Runs the files in one process, and the rest of them in another where it ends too early.
 * Every file gets exactly one result: a process that ends in the middle of a file fails it.
 */
export async function runTogether (files: readonly string[], options: RunOptions): Promise<void> {
  const { onResult } = options
  let rest = files
  while (rest.length > 0) {
    const { results, ending } = await runOneProcess(rest, options)
    const last = results.at(-1)
    const unfinished = rest[results.length]
    if (last !== undefined) onResult(unfinished === undefined && ending !== undefined ? { ...last, failures: [...last.failures, ending] } : last)
    if (unfinished !== undefined) {
      onResult({ event: 'ended', file: unfinished, passed: 0, skipped: 0, failures: [ending ?? { name: 'it ends well', details: 'its process ended before it was done' }], ms: 0 })
    }
    rest = rest.slice(results.length + 1)
  }
}

interface Run {
  readonly results: readonly FileResult[]
  /** How the process ended, unless it ended well. */
  readonly ending: FileResult['failures'][number] | undefined
}

/** Hands on each result but the last, which how the process ends may change. */
async function runOneProcess (files: readonly string[], { env, onResult }: RunOptions): Promise<Run> {
  const child = spawn(process.execPath, [...process.execArgv, program, ...files], { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  running.add(child)
  const exited = once(child, 'exit')
  const { stdout, stderr, stdio: { [reportDescriptor]: reports } } = child
  if (stdout === null || stderr === null || !(reports instanceof Readable)) throw new Error('the process has no way to report')
  const printed = keepEndOf([stdout, stderr])
  const results: FileResult[] = []

  let how: string | undefined
  const giveUp = (): void => {
    how = 'it did not answer any more'
    child.kill('SIGKILL')
  }
  let cancel = systemScheduler.after(longestSilenceMs, giveUp)
  for await (const line of createInterface({ input: reports })) {
    cancel()
    cancel = systemScheduler.after(longestSilenceMs, giveUp)
    const told = reportLine.parse(JSON.parse(line))
    if (told.event === 'waits in vain') how = 'it waits for what can never come'
    if (told.event !== 'ended') continue
    const before = results.at(-1)
    if (before !== undefined) onResult(before)
    results.push(told)
  }
  const [code, signal] = await exited as [number | null, string | null]
  cancel()
  running.delete(child)
  if (code === 0) return { results, ending: undefined }
  return { results, ending: { name: 'it ends well', details: `${how ?? `its process ended with ${signal ?? `code ${code}`}`}\n${printed()}` } }
}

function keepEndOf (streams: readonly Readable[]): () => string {
  let text = ''
  for (const stream of streams) stream.setEncoding('utf8').on('data', (more: string) => { text = (text + more).slice(-keptCharacters) })
  return () => text
}
