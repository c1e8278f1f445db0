/**
 * The open listen streams of this process (SUB-02…11).
 *
 * A stream is acknowledged before anything else is sent on it, hears of nothing it did not ask
 * for or may not see, and only of what changes while it is open: nothing is queued for it or
 * replayed. A client that missed something finds its stream closed, and reads anew.
 *
 * Bounded: streams in all and per principal, resources per stream and in all, and the bytes
 * that wait for a slow reader. All that is kept of a stream goes the moment it closes, and the
 * registry listens on no topic that no open stream needs.
 */
import type { Implementation } from '../protocol/encode-modern.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import type { Principal } from '../protocol/principal.ts'
import type { RequestId } from '../protocol/rejection.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Slices } from '../runtime/slices.ts'
import { createCoalescer, type Moments } from './coalescer.ts'
import { principalTopic, type Change, type EventBus, type ListName, type Topic } from './event-bus.ts'
import { grantFilter, isEmpty, type AskedFilter, type FindResource, type GrantedFilter } from './listen-filter.ts'
import { acknowledgement, changeNotification, endOfStream } from './listen-messages.ts'
import { FilterTooLargeRefusal, TooManyStreamsRefusal, TooManySubscriptionsRefusal } from './listen-refusals.ts'
import type { SubscriptionSettings } from './subscription-settings.ts'

/** SUB-11. */
const restMs = 250

export interface ListenRequest {
  readonly id: RequestId
  readonly principal: Principal
  readonly asked: AskedFilter
  readonly find: FindResource
  readonly output: MessageStream
}

export interface ListenRegistry {
  /** Open streams. */
  readonly streams: number
  /** Resources they subscribe to; one that two of them subscribe to counts twice. */
  readonly uris: number
  /**
   * Acknowledges a stream and keeps it open; one that would never carry anything is ended at
   * once. Nothing has been sent when it throws.
   *
   * @throws {FilterTooLargeRefusal} more resources than one stream may have
   * @throws {TooManySubscriptionsRefusal} more resources than all may have
   * @throws {TooManyStreamsRefusal} more streams than the principal, or all, may have
   */
  open (request: ListenRequest): Promise<void>
  /** Ends all streams properly (SUB-07), or those of one ingress, and from now on every further one at once. */
  end (via?: object): Promise<void>
}

export interface ListenRegistryParts {
  readonly bus: EventBus
  readonly settings: SubscriptionSettings
  readonly scheduler: Scheduler
  readonly slices: Slices
  readonly serverInfo: Implementation
  readonly log: Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>
}

/** There can be thousands, so what is equal for many of them is shared. */
interface Stream {
  readonly id: RequestId
  readonly owner: Owner
  readonly wants: readonly Want[]
  readonly output: MessageStream
  /** The moment of the last change before it was opened. */
  readonly openedAt: number
  /** Whether a look is due at how much its client has left lying. */
  isSuspect: boolean
}

/** One kind of change that streams are told of. */
interface Want {
  readonly key: string
  /** Where the change has to be published to concern the stream. */
  readonly topics: readonly Topic[]
  /** The change as the stream is told of it. */
  readonly change: Change
}

/** A principal that has streams open. */
interface Owner {
  readonly principalKey: string
  readonly lists: Readonly<Record<ListName, Want>>
  streams: number
}

export function createListenRegistry ({ bus, settings, scheduler, slices, serverInfo, log }: ListenRegistryParts): ListenRegistry {
  const streams = new Set<Stream>()
  const owners = new Map<string, Owner>()
  const wanting = new Map<string, Map<Stream, Want>>()
  const heard = new Map<Topic, { needed: number, readonly cancel: Cancel }>()
  const coalescer = createCoalescer({ scheduler, restMs, tell })
  let uris = 0
  let moment = 0
  let hasWarned = false
  let hasEnded = false
  const ended = new WeakSet<object>()

  function hear (topic: Topic, change: Change): void {
    const key = keyOf(change)
    if (wanting.has(key)) coalescer.note(key, topic, ++moment)
  }

  function tell (key: string, moments: Moments, done: () => void): void {
    slices.run(wanting.get(key) ?? [], ([stream, { topics, change }]) => {
      if (topics.some((topic) => (moments.get(topic) ?? 0) > stream.openedAt)) send(stream, change)
    }).catch((fault: unknown) => {
      log.error({ err: fault }, 'a change could not be told to all listen streams')
    }).finally(done)
  }

  function send (stream: Stream, change: Change): void {
    const { id, output } = stream
    output.send(changeNotification(id, change))
    if (stream.isSuspect || output.queuedBytes <= settings.maxQueuedBytes) return
    // What is sent in one turn leaves at its end, so only a look after that tells which readers are slow.
    stream.isSuspect = true
    slices.run([stream], cutIfSlow).catch((fault: unknown) => log.error({ err: fault }, 'a slow listen stream could not be cut'))
  }

  function cutIfSlow (stream: Stream): void {
    stream.isSuspect = false
    const { queuedBytes } = stream.output
    if (!streams.has(stream) || queuedBytes <= settings.maxQueuedBytes) return
    log.info({ queuedBytes }, 'a listen stream is cut, because its client does not read it')
    forget(stream)
    stream.output.drop()
  }

  function ensureRoom (principalKey: string, wantedUris: number): void {
    const { maxStreams, maxStreamsPerPrincipal, maxUris } = settings
    if (streams.size >= maxStreams) throw new TooManyStreamsRefusal({ limit: maxStreams, whose: 'all' })
    if ((owners.get(principalKey)?.streams ?? 0) >= maxStreamsPerPrincipal) {
      throw new TooManyStreamsRefusal({ limit: maxStreamsPerPrincipal, whose: 'yours' })
    }
    if (uris + wantedUris > maxUris) {
      warnOnce({ limit: maxUris, subscribed: uris, asked: wantedUris })
      // More than all streams may have together never comes to fit.
      throw wantedUris > maxUris ? new FilterTooLargeRefusal({ limit: maxUris, asked: wantedUris }) : new TooManySubscriptionsRefusal({ limit: maxUris })
    }
  }

  function warnOnce (facts: object): void {
    if (!hasWarned) log.warn(facts, 'a listen stream asks for more resources than there is room for; this is said once')
    hasWarned = true
  }

  function ownerOf ({ key }: Principal): Owner {
    const owner = owners.get(key) ?? { principalKey: key, lists: wantedLists(key), streams: 0 }
    owners.set(key, owner)
    return owner
  }

  function keep (stream: Stream): void {
    streams.add(stream)
    stream.owner.streams++
    for (const want of stream.wants) {
      if (want.change.type === 'resource') uris++
      wanting.set(want.key, (wanting.get(want.key) ?? new Map<Stream, Want>()).set(stream, want))
      for (const topic of want.topics) need(topic)
    }
  }

  function forget (stream: Stream): void {
    if (!streams.delete(stream)) return
    if (--stream.owner.streams === 0) owners.delete(stream.owner.principalKey)
    for (const { key, topics, change } of stream.wants) {
      if (change.type === 'resource') uris--
      const others = wanting.get(key)
      others?.delete(stream)
      if (others?.size === 0) {
        wanting.delete(key)
        coalescer.forget(key)
      }
      for (const topic of topics) need(topic, -1)
    }
  }

  function need (topic: Topic, more = 1): void {
    const hearing = heard.get(topic) ?? { needed: 0, cancel: bus.subscribe(topic, (change) => hear(topic, change)) }
    heard.set(topic, hearing)
    hearing.needed += more
    if (hearing.needed > 0) return
    hearing.cancel()
    heard.delete(topic)
  }

  function end ({ id, output }: Pick<Stream, 'id' | 'output'>): void {
    output.send(endOfStream(id, serverInfo))
    output.end()
  }

  return {
    get streams () { return streams.size },
    get uris () { return uris },

    async open ({ id, principal, asked, find, output }) {
      const limit = settings.maxUrisPerStream
      if (asked.uris.length > limit) {
        warnOnce({ limit, asked: asked.uris.length })
        throw new FilterTooLargeRefusal({ limit, asked: asked.uris.length })
      }
      const granted = await grantFilter(asked, find)
      if (!output.isOpen) return
      if (hasEnded || (output.via !== undefined && ended.has(output.via)) || isEmpty(granted)) {
        output.send(acknowledgement(id, granted))
        end({ id, output })
        return
      }
      ensureRoom(principal.key, granted.resources.length)
      const owner = ownerOf(principal)
      const stream: Stream = { id, owner, wants: wantsOf(granted, owner), output, openedAt: moment, isSuspect: false }
      keep(stream)
      output.onClose(() => forget(stream))
      output.send(acknowledgement(id, granted))
    },

    async end (via) {
      if (via === undefined) hasEnded = true
      else ended.add(via)
      await slices.run(streams, (stream) => {
        if (via !== undefined && stream.output.via !== via) return
        forget(stream)
        end(stream)
      })
    }
  }
}

/** Names what has changed; no URI has a space in it. */
function keyOf (change: Change): string {
  return change.type === 'list' ? `list ${change.list}` : change.uri
}

function wantsOf ({ lists, resources }: GrantedFilter, owner: Owner): readonly Want[] {
  return [
    ...lists.map((list) => owner.lists[list]),
    ...resources.map(({ uri, topic, asked }): Want => ({ key: uri, topics: [topic], change: { type: 'resource', uri: asked } }))
  ]
}

/** Lists can change for all callers, and for one principal. */
function wantedLists (principalKey: string): Readonly<Record<ListName, Want>> {
  const topics: readonly Topic[] = ['global', principalTopic(principalKey)]
  const wanted = (list: ListName): Want => ({ key: keyOf({ type: 'list', list }), topics, change: { type: 'list', list } })
  return { tools: wanted('tools'), prompts: wanted('prompts'), resources: wanted('resources') }
}
