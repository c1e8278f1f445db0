/**
 * Turns by key: what acts on a phone does so one call after another.
 *
 * An agent may send several calls at once. Finding an element and touching it are two steps,
 * and a tap that lands between those of another call touches whatever has come to its place.
 * Looking and waiting take no turn, so that a long wait never holds up an action.
 */
import type { Clock } from '../runtime/clock.ts'
import { createTurns, type Turns } from '../runtime/turns.ts'
import type { CallNotes } from './tool-definition.ts'

export interface KeyedTurns {
  /**
   * Runs `work` after everything that asked before under the same key.
   *
   * @throws {CancelledRefusal} the signal aborted before its turn came
   */
  take<T> (key: string, caller: TurnTaker, work: () => Promise<T>): Promise<T>
}

/** Who waits for a turn. How long it waited is noted, because that is no work. */
export interface TurnTaker extends Partial<Pick<CallNotes, 'noteWait'>> {
  readonly signal: AbortSignal
}

export function createKeyedTurns (clock: Clock): KeyedTurns {
  // A key goes when no call has or waits for its turn.
  const byKey = new Map<string, Turns>()

  return {
    async take (key, caller, work) {
      const turns = byKey.get(key) ?? createTurns()
      byKey.set(key, turns)
      let waitsSinceMs = turns.isIdle ? undefined : clock.monotonicMs()
      function noteWait () {
        if (waitsSinceMs !== undefined) caller.noteWait?.(clock.monotonicMs() - waitsSinceMs)
        waitsSinceMs = undefined
      }
      try {
        return await turns.take(caller.signal, async () => {
          noteWait()
          return await work()
        })
      } finally {
        // A caller that was cancelled has waited all the same.
        noteWait()
        if (turns.isIdle && byKey.get(key) === turns) byKey.delete(key)
      }
    }
  }
}
