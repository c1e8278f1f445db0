/**
 * Ends the process when its event loop stands still, which nothing on that loop could do: a
 * signal is only heard between two turns of it, and so is a timer.
 *
 * A thread of its own counts its own ticks since the loop last gave a sign of life. It counts
 * ticks, not time, because a machine that sleeps stops both. Too many of them, or a deadline
 * to stop that has passed, and the thread kills the process. It says so first, on stderr, for
 * the reader of the log.
 */
import { Worker } from 'node:worker_threads'
import { url as inspectorUrl } from 'node:inspector'
import type { Scheduler } from '../runtime/scheduler.ts'

export interface StallWatchdog {
  /** From now on the process is gone within this time, whatever hangs. */
  endWithin (limitMs: number): void
  stop (): Promise<void>
}

/** Longer than anything that is no fault: tens of seconds on a machine that swaps. */
export const stalledAfterMs = 60_000
const tickMs = 1_000

// Plain JavaScript in a text: the thread needs nothing of ours, and starts in a millisecond.
const source = `
const { workerData: { shared, tickMs, stalledTicks } } = require('node:worker_threads')
const { writeSync } = require('node:fs')
const signs = new Int32Array(shared)
let seen = -1, silent = 0, left = -1
for (;;) {
  // Woken when there is news of a deadline.
  Atomics.wait(signs, 1, left === -1 ? 0 : signs[1], tickMs)
  if (signs[2] === 1) break
  if (left === -1 && signs[1] > 0) left = Math.ceil(signs[1] / tickMs)
  else if (left > 0) left--
  if (signs[3] === 1 || Atomics.load(signs, 0) !== seen) { seen = Atomics.load(signs, 0); silent = 0 } else silent++
  if (left === 0 || silent >= stalledTicks) {
    try { writeSync(2, left === 0 ? 'mooring did not stop in time, and is killed.\\n' : 'mooring has not answered for ' + Math.round(silent * tickMs / 1000) + ' s and is killed.\\n') } catch {}
    process.kill(process.pid, 'SIGKILL')
  }
}
`

export function startStallWatchdog ({ scheduler, afterMs = stalledAfterMs }: { readonly scheduler: Scheduler, readonly afterMs?: number }): StallWatchdog {
  // Sign of life; deadline in milliseconds; whether the thread is to end; whether a debugger may stop the loop.
  const shared = new SharedArrayBuffer(16)
  const signs = new Int32Array(shared)
  const every = Math.min(tickMs, afterMs / 4)
  const worker = new Worker(source, { eval: true, workerData: { shared, tickMs: every, stalledTicks: Math.ceil(afterMs / every) } })
  worker.unref()
  // Without a watchdog the gateway still works.
  worker.on('error', () => {})
  const cancel = scheduler.every(every, () => { beat() })

  function beat (): void {
    Atomics.add(signs, 0, 1)
    Atomics.store(signs, 3, inspectorUrl() === undefined ? 0 : 1)
  }

  return {
    endWithin (limitMs) {
      Atomics.store(signs, 1, Math.max(1, Math.ceil(limitMs)))
      Atomics.notify(signs, 1)
    },
    async stop () {
      cancel()
      Atomics.store(signs, 2, 1)
      Atomics.notify(signs, 1)
      await worker.terminate()
    }
  }
}
