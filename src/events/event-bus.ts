/**
 * The bus: what has changed, told to the subscribers of its topic.
 *
 * A topic says whom a change concerns, and so which callers may be told of it. Publishers know no
 * subscribers: publishing to a topic without listeners costs next to nothing. Nothing is
 * kept: a change reaches those who subscribe now.
 */
import { createHash } from 'node:crypto'
import type { Cancel } from '../runtime/scheduler.ts'

/**
 * `global` concerns every caller, `principal:<hash>` one principal, `device:<id>` the callers that
 * may see the device, `task:<id>` the owner of the task.
 */
export type Topic = 'global' | `principal:${string}` | `device:${string}` | `task:${string}`

export const listNames = ['tools', 'prompts', 'resources'] as const
export type ListName = (typeof listNames)[number]

/** What has changed: a list, or what a resource holds. Where to look, never the content. */
export type Change =
  | { readonly type: 'list', readonly list: ListName }
  | { readonly type: 'resource', readonly uri: string }

export interface EventBus {
  /** Never throws, and never waits for a listener. */
  publish (topic: Topic, change: Change): void
  subscribe (topic: Topic, listener: (change: Change) => void): Cancel
}

/** The topic of one principal. Topics may be logged and sent elsewhere; `Principal.key` may not. */
export function principalTopic (principalKey: string): Topic {
  return `principal:${createHash('sha256').update(principalKey).digest('base64url')}`
}

/** The bus of one process. */
export function createEventBus ({ log }: { readonly log: { error (facts: object, message: string): void } }): EventBus {
  const listeners = new Map<Topic, Set<(change: Change) => void>>()

  return {
    publish (topic, change) {
      for (const listener of listeners.get(topic) ?? []) {
        try {
          listener(change)
        } catch (fault) {
          // The publisher is in the middle of something else.
          log.error({ err: fault, topic }, 'a listener of the bus failed')
        }
      }
    },

    subscribe (topic, listener) {
      const ofTopic = listeners.get(topic) ?? new Set()
      listeners.set(topic, ofTopic.add(listener))
      return () => {
        ofTopic.delete(listener)
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic)
      }
    }
  }
}
