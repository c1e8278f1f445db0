import { listNames } from '../../src/events/event-bus.ts'
import type { Offer } from '../../src/tools/offer.ts'

/** The same offer, for a test that publishes changes of its lists by itself. */
export function toldLists (pool: Offer): Offer {
  return { ...pool, tells: listNames }
}
