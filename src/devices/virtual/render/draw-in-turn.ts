/**
 * The pictures of all virtual phones of this process, a few at a time.
 *
 * A picture is drawn on the thread of the event loop and encoded beside it. Where many callers want one
 * in the same moment, each is drawn in a turn of the loop of its own, so that other requests are
 * answered in between, and only as many are in memory as can be encoded at once.
 */
import { availableParallelism } from 'node:os'

/** Node encodes on four threads at most. */
const mostAtOnce = Math.min(4, availableParallelism())

const waiting = new Set<() => void>()
let underWay = 0

/** Draws and encodes one picture, after those that were asked for before it. */
export async function drawInTurn<Picture> (draw: () => Promise<Picture>): Promise<Picture> {
  if (underWay >= mostAtOnce) await new Promise<void>((resolve) => waiting.add(resolve))
  else underWay++
  try {
    // Not in the turn in which another one was drawn.
    await new Promise(setImmediate)
    return await draw()
  } finally {
    const [next] = waiting
    if (next === undefined) {
      underWay--
    } else {
      waiting.delete(next)
      next()
    }
  }
}
