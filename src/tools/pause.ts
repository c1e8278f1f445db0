import { unlessCancelled } from '../devices/cancellation.ts'
import { waitFor } from '../runtime/abortable.ts'
import type { Scheduler } from '../runtime/scheduler.ts'

/**
 * Returns after `delayMs`.
 *
 * @throws {CancelledRefusal} the signal aborted meanwhile
 */
export async function pause (scheduler: Scheduler, delayMs: number, signal: AbortSignal): Promise<void> {
  await unlessCancelled(signal, waitFor(delayMs, [signal], scheduler))
}
