/**
 * Turns by key: what acts on a phone does so one call after another.
 *
 * An agent may send several calls at once. Finding an element and touching it are two steps,
 * and a tap that lands between those of another call touches whatever has come to its place.
 * Looking and waiting take no turn, so that a long wait never holds up an action.
 */
import { createTurns, type Turns } from '../runtime/turns.ts'

export interface KeyedTurns {
  /**
   * Runs `work` after everything that asked before under the same key.
   *
   * @throws {CancelledRefusal} the signal aborted before its turn came
   */
  take<T> (key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createKeyedTurns (): KeyedTurns {
  // A key goes when no call has or waits for its turn.
  const byKey = new Map<string, Turns>()

  return {
    async take (key, signal, work) {
      const turns = byKey.get(key) ?? createTurns()
      byKey.set(key, turns)
      try {
        return await turns.take(signal, work)
      } finally {
        if (turns.isIdle && byKey.get(key) === turns) byKey.delete(key)
      }
    }
  }
}
