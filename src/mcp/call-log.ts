/**
 * One line of the log for each call of a tool: what was called, on which device, what came of it and
 * how long it took. Never arguments or results, and no name that a caller made up.
 *
 * What a call waited for, such as a phone or an element to appear, is no work: it stands beside the
 * duration and is not in it.
 */
import { ProtocolError } from '../protocol/rejection.ts'
import type { Result } from '../protocol/result.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import { isPromise } from './is-promise.ts'

export interface CallLog {
  /** Runs a call, and writes its line when it is over. `tool` is one that exists, or undefined. */
  run (tool: string | undefined, call: () => Result | Promise<Result>): Result | Promise<Result>
}

export interface InfoLog {
  info (facts: object, message: string): void
}

/** What became of a call. */
type Ending = {
  readonly outcome: 'done' | 'refused' | 'failed' | 'asked' | 'rejected'
  /** Of a refusal, or of an error of the protocol. */
  readonly code?: string | number
}

export function createCallLog ({ log, clock }: { readonly log: InfoLog, readonly clock: Clock }): CallLog {
  function write (tool: string | undefined, startedMs: number, { outcome, code }: Ending, noted: Result['noted']): void {
    const waitedMs = noted?.waitedMs ?? 0
    const durationMs = tenths(clock.monotonicMs() - startedMs - waitedMs)
    log.info({
      tool, device: noted?.device, outcome, code, durationMs, waitedMs: waitedMs > 0 ? tenths(waitedMs) : undefined
    }, 'tool called')
  }

  function writeResult (tool: string | undefined, startedMs: number, result: Result): Result {
    write(tool, startedMs, endingOf(result), result.noted)
    return result
  }

  function writeError (tool: string | undefined, startedMs: number, error: unknown): never {
    write(tool, startedMs, endingOfError(error), undefined)
    throw error
  }

  return {
    run (tool, call) {
      const startedMs = clock.monotonicMs()
      try {
        const result = call()
        if (!isPromise(result)) return writeResult(tool, startedMs, result)
        return result.then((result) => writeResult(tool, startedMs, result), (error: unknown) => writeError(tool, startedMs, error))
      } catch (error) {
        return writeError(tool, startedMs, error)
      }
    }
  }
}

function endingOf (result: Result): Ending {
  if (result.kind === 'input_required') return { outcome: 'asked' }
  if (result.kind !== 'complete' || result.body['isError'] !== true) return { outcome: 'done' }
  const code = result.noted?.refusal
  if (code === undefined) return { outcome: 'refused' }
  return { outcome: code === 'internal_error' ? 'failed' : 'refused', code }
}

function endingOfError (error: unknown): Ending {
  if (error instanceof ProtocolError) return { outcome: 'rejected', code: error.rejection.code }
  return error instanceof Refusal ? { outcome: 'refused', code: error.code } : { outcome: 'failed' }
}

function tenths (ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10)
}
