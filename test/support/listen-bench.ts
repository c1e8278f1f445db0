import { createEventBus, type EventBus, type ListName, type Topic } from '../../src/events/event-bus.ts'
import type { FindResource } from '../../src/events/listen-filter.ts'
import { createListenRegistry, type ListenRegistry } from '../../src/events/listen-registry.ts'
import { subscriptionSettings, type SubscriptionSettings } from '../../src/events/subscription-settings.ts'
import type { RequestId } from '../../src/protocol/rejection.ts'
import { createSlices } from '../../src/runtime/slices.ts'
import { idle } from './idle.ts'
import { manualTime, type ManualTime } from './manual-time.ts'
import { principal } from './mcp-request.ts'
import { recordedStream, type RecordedStream } from './recorded-stream.ts'

export interface OpenRequest {
  readonly id?: RequestId
  readonly subject?: string
  readonly lists?: readonly ListName[]
  readonly uris?: readonly string[]
  readonly output?: RecordedStream
}

export interface ListenBench {
  readonly registry: ListenRegistry
  readonly bus: EventBus
  readonly time: ManualTime
  /** Every line logged, as text. */
  readonly lines: readonly string[]
  /** Topics that somebody listens to. */
  topics (): readonly Topic[]
  /** Opens a stream, by default Ada's. */
  open (request?: OpenRequest): Promise<RecordedStream>
  /** Lets time pass, and what falls due be told. */
  pass (ms: number): Promise<void>
}

/** A registry over the real bus, where `find` says which resources there are. */
export function listenBench ({ settings = {}, find = findAny, itemsPerSlice }: {
  readonly settings?: Partial<SubscriptionSettings>
  readonly find?: (uri: string, subject: string) => ReturnType<FindResource>
  readonly itemsPerSlice?: number
} = {}): ListenBench {
  const time = manualTime()
  const lines: string[] = []
  const write = (facts: object, message: string): void => { lines.push(`${message} ${JSON.stringify(facts)}`) }
  const log = { info: write, warn: write, error: write }
  const real = createEventBus({ log })
  const listened: Topic[] = []
  const bus: EventBus = {
    publish: real.publish,
    subscribe (topic, listener) {
      listened.push(topic)
      const cancel = real.subscribe(topic, listener)
      return () => {
        listened.splice(listened.indexOf(topic), 1)
        cancel()
      }
    }
  }
  const registry = createListenRegistry({
    bus,
    settings: subscriptionSettings.parse(settings),
    scheduler: time.scheduler,
    slices: createSlices(itemsPerSlice),
    serverInfo: { name: 'mooring', version: '1' },
    log
  })

  return {
    registry,
    bus,
    time,
    lines,
    topics: () => [...listened].sort(),
    async open ({ id = 1, subject = 'ada', lists = [], uris = [], output = recordedStream() } = {}) {
      await registry.open({
        id, principal: principal(subject), asked: { lists, uris, taskIds: [] }, find: (uri) => find(uri, subject), output
      })
      return output
    },
    async pass (ms) {
      time.advance(ms)
      await idle()
    }
  }
}

/** Every resource is there for everybody. */
const findAny = async (uri: string): ReturnType<FindResource> => ({ uri, topic: 'global' })
