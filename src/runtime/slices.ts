/** Long loops a slice at a time, so that one over thousands of items keeps no other work waiting. */
export interface Slices {
  /**
   * Calls `work` with each item, in order, beginning on a later turn of the event loop. Loops
   * take their turns one after another. Items may come and go meanwhile, as far as the
   * iterable allows it.
   *
   * @returns when every item has been seen; rejects with what `work` throws, which ends that loop
   */
  run<T> (items: Iterable<T>, work: (item: T) => void): Promise<void>
}

/** `itemsPerSlice` is what all loops together get done before other work has a turn. */
export function createSlices (itemsPerSlice = 200): Slices {
  // Each does one step and says whether there may be another; with the turn in which it came.
  const loops = new Map<() => boolean, number>()
  let turns = 0
  let isGoing = false

  function turn (): void {
    turns++
    let left = itemsPerSlice
    for (const [step, came] of loops) {
      if (came === turns) break
      while (left > 0 && step()) left--
      if (left === 0) break
      loops.delete(step)
    }
    isGoing = loops.size > 0
    if (isGoing) setImmediate(turn)
  }

  return {
    run: (items, work) => new Promise((resolve, reject) => {
      const iterator = items[Symbol.iterator]()
      const step = (): boolean => {
        try {
          const next = iterator.next()
          if (next.done !== true) {
            work(next.value)
            return true
          }
          resolve()
        } catch (fault) {
          reject(fault)
        }
        return false
      }
      loops.set(step, turns)
      if (!isGoing) setImmediate(turn)
      isGoing = true
    })
  }
}
