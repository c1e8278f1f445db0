/**
 * Turns: one at a time, first come first served.
 *
 * What is aborted while it waits goes at once and never begins; its turn passes when it comes.
 * What has begun is waited for, whether or not its caller still wants it: until it is over,
 * nothing else runs.
 */
import { cancelledBy, ensureNotCancelled } from '../refusals/cancellation.ts'

export interface Turns {
  /** How many wait for their turn. */
  readonly waiting: number
  /** Nothing has the turn. */
  readonly isIdle: boolean
  /**
   * Runs `work` after everything that asked before.
   *
   * @throws {CancelledRefusal} the signal aborted before its turn came
   */
  take<T> (signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createTurns (): Turns {
  const waiting = new Set<() => void>()
  let taken = false

  function next () {
    const [first] = waiting
    if (first === undefined) {
      taken = false
    } else {
      waiting.delete(first)
      first()
    }
  }

  function turn (signal: AbortSignal): Promise<void> | undefined {
    if (!taken) {
      taken = true
      return undefined
    }
    return new Promise((resolve, reject) => {
      function start () {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      function giveUp () {
        waiting.delete(start)
        reject(cancelledBy(signal))
      }
      waiting.add(start)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    get waiting () { return waiting.size },
    get isIdle () { return !taken },

    async take (signal, work) {
      ensureNotCancelled(signal)
      await turn(signal)
      try {
        // The abort may have come between being called up and getting here.
        ensureNotCancelled(signal)
        return await work()
      } finally {
        next()
      }
    }
  }
}
