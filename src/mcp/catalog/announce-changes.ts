import { listNames, principalTopic, type EventBus } from '../../events/event-bus.ts'
import type { Cancel } from '../../runtime/scheduler.ts'
import type { Catalog } from './catalog.ts'

/**
 * Publishes which lists have changed whenever a view takes the place of another: under the topic
 * of all callers, or under that of the principal whose view it is. A list that reads as before is
 * not told of.
 */
export function announceChanges (catalog: Catalog, bus: EventBus): Cancel {
  const stop = catalog.watch?.(({ principal, before, after }) => {
    const topic = principal === undefined ? 'global' : principalTopic(principal.key)
    for (const list of listNames) {
      if (before[list].revision !== after[list].revision) bus.publish(topic, { type: 'list', list })
    }
  })
  return stop ?? (() => {})
}
