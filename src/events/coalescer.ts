/**
 * Changes that come in bursts, told once: the first of a burst at once, the rest together.
 *
 *   quiet   nothing has changed lately; the next change is told at once
 *   busy    it is being told, or was told less than `restMs` ago; what changes meanwhile is
 *           collected, and told when the rest is over, which makes it busy again
 */
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Topic } from './event-bus.ts'

/** The topics a change was published to, each with the moment it was last. */
export type Moments = ReadonlyMap<Topic, number>

export interface Coalescer {
  /** `key` names what has changed; `moment` rises with every call. */
  note (key: string, topic: Topic, moment: number): void
  /** Drops what is known of a key that no subscriber wants to hear of any more. */
  forget (key: string): void
}

interface Busy {
  readonly collected: Map<Topic, number>
  cancelRest: Cancel
}

export function createCoalescer ({ scheduler, restMs, tell }: {
  readonly scheduler: Scheduler
  readonly restMs: number
  /** Calls `done` once every subscriber has been told. */
  readonly tell: (key: string, moments: Moments, done: () => void) => void
}): Coalescer {
  const busy = new Map<string, Busy>()

  function begin (key: string, moments: Moments): void {
    const state: Busy = { collected: new Map(), cancelRest: () => {} }
    busy.set(key, state)
    tell(key, moments, () => {
      // Only now, so that a crowd that takes long to tell is not told again before it has been.
      if (busy.get(key) === state) state.cancelRest = scheduler.after(restMs, () => endRest(key, state))
    })
  }

  function endRest (key: string, { collected }: Busy): void {
    busy.delete(key)
    if (collected.size > 0) begin(key, collected)
  }

  return {
    note (key, topic, moment) {
      const state = busy.get(key)
      if (state === undefined) begin(key, new Map([[topic, moment]]))
      else state.collected.set(topic, moment)
    },

    forget (key) {
      busy.get(key)?.cancelRest()
      busy.delete(key)
    }
  }
}
