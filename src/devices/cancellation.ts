import { Refusal } from '../refusals/refusal.ts'
import { unlessAborted } from '../runtime/abortable.ts'
import { CancelledRefusal } from './device-refusals.ts'

/** What an aborted signal means to the caller: the refusal it was aborted with, if it was one. */
export function cancelledBy ({ reason }: AbortSignal): Refusal {
  return reason instanceof Refusal ? reason : new CancelledRefusal()
}

/** @throws {CancelledRefusal} the signal has aborted */
export function ensureNotCancelled (signal: AbortSignal): void {
  if (signal.aborted) throw cancelledBy(signal)
}

/**
 * The result of some work, unless the signal aborts first; the work itself goes on.
 *
 * @throws {CancelledRefusal} the signal has aborted
 */
export async function unlessCancelled<Result> (signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    return await unlessAborted(work, [signal])
  } catch (error) {
    throw signal.aborted && error === signal.reason ? cancelledBy(signal) : error
  }
}
