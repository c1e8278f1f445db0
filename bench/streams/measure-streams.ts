/**
 * Thousands of open listen streams: what they cost while nothing happens, how long one event
 * takes to reach all of them, and whether they are forgotten when their clients are gone.
 */
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { startContender, type ContenderProcess } from '../contender-process.ts'
import type { Contender } from '../contenders/contender.ts'
import { unasked } from '../load.ts'
import type { Pinning } from '../pinning.ts'
import { median } from '../statistics.ts'
import { openStreams, type StreamClients } from './open-streams.ts'

export interface StreamFigures {
  readonly contender: string
  readonly label: string
  readonly openMs: number
  /** What one stream adds to the process, after a garbage collection. */
  readonly rssBytes: number
  readonly heapBytes: number
  /** From the order to publish until the last client has the event. */
  readonly eventMs: number
  /** Processor time of the contender for one delivery, in microseconds. */
  readonly deliveryUs: number
  /** Streams that are still there two seconds after all clients vanished. */
  readonly left: number
}

export interface MeasureStreamsOptions {
  readonly contenders: readonly Contender[]
  readonly streams: number
  readonly events: number
  readonly pinning: Pinning
  readonly profiles: string | undefined
  readonly tell: (text: string) => void
}

/** Longer than a server may take to gather changes into one event. */
const betweenEventsMs = 400

const vanishedMs = 2_000

export async function measureStreams (options: MeasureStreamsOptions): Promise<readonly StreamFigures[]> {
  const { contenders, streams, events, pinning, profiles, tell } = options
  const running = await Promise.all(contenders.map((contender) => startContender(contender, { toolCount: 5, answers: {} }, { pinning, profiles })))
  try {
    const crowds: Crowd[] = []
    for (const process of running) {
      tell(`${process.contender.label}: opening ${streams} streams`)
      crowds.push(await gather(process, streams))
    }
    // The first event only warms up.
    for (let event = 0; event <= events; event++) {
      tell(event === 0 ? 'warming up' : `event ${event} of ${events}`)
      for (const crowd of crowds) {
        await pause(betweenEventsMs)
        const figures = await tellCrowd(crowd, streams, event + 2)
        if (event > 0) crowd.events.push(figures)
      }
    }
    for (const { clients, process } of crowds) {
      clients.vanish()
      await process.collect()
    }
    await pause(vanishedMs)
    return await Promise.all(crowds.map(async ({ process, events, ...figures }) => ({
      contender: process.contender.name,
      label: process.contender.label,
      openMs: figures.openMs,
      rssBytes: figures.rssBytes,
      heapBytes: figures.heapBytes,
      eventMs: median(events.map(({ eventMs }) => eventMs)),
      deliveryUs: median(events.map(({ deliveryUs }) => deliveryUs)),
      left: (await process.collect()).streams
    })))
  } finally {
    await Promise.all(running.map(async (process) => await process.stop()))
  }
}

interface Crowd extends Pick<StreamFigures, 'openMs' | 'rssBytes' | 'heapBytes'> {
  readonly process: ContenderProcess
  readonly clients: StreamClients
  readonly events: Array<Pick<StreamFigures, 'eventMs' | 'deliveryUs'>>
}

async function gather (process: ContenderProcess, count: number): Promise<Crowd> {
  const before = await process.collect()
  const startedAtMs = performance.now()
  const clients = await openStreams({ port: process.port, token: process.token ?? unasked, count })
  const openMs = performance.now() - startedAtMs
  const after = await process.collect()
  return {
    process,
    clients,
    openMs,
    rssBytes: (after.rssBytes - before.rssBytes) / count,
    heapBytes: (after.heapBytes - before.heapBytes) / count,
    events: []
  }
}

async function tellCrowd ({ process, clients }: Crowd, count: number, messages: number): Promise<{ eventMs: number, deliveryUs: number }> {
  const before = await process.usage()
  const startedAtMs = performance.now()
  const received = clients.received(messages)
  await process.publish()
  await received
  const eventMs = performance.now() - startedAtMs
  const after = await process.usage()
  return { eventMs, deliveryUs: (after.cpuUs - before.cpuUs) / count }
}

function pause (ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemScheduler.after(ms, resolve)
  })
}
