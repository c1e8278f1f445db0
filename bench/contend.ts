/**
 * A contender's own process. Its parent says what to start, asks now and then how much
 * processor time has been used, and ends it by hanging up.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { contenders, streamContenders } from './contenders/contenders.ts'
import type { ContenderSetup } from './contenders/contender.ts'

export interface StartOrder {
  readonly order: 'start'
  readonly name: string
  readonly setup: ContenderSetup
  /** Where to write a CPU profile of everything after the start-up. */
  readonly profile: string | undefined
}

/** `publish` tells all open streams of one change; `collect` forces a garbage collection first. */
export type Order = StartOrder | { readonly order: 'usage' | 'publish' | 'collect' }

export interface Started {
  readonly port: number
  readonly token?: string
}

export interface Usage {
  /** User and system time of the process since it began, in microseconds. */
  readonly cpuUs: number
  readonly rssBytes: number
  readonly heapBytes: number
  /** Streams that the contender believes are open. */
  readonly streams: number
}

process.once('message', (message) => {
  const order = message as Order
  if (order.order !== 'start') throw new Error('nothing has been started')
  start(order).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})

async function start ({ name, setup, profile }: StartOrder): Promise<void> {
  const contender = [...contenders, ...streamContenders].find((candidate) => candidate.name === name)
  if (contender === undefined) throw new Error(`there is no contender ${name}`)
  const { port, token, streams, close } = await contender.start(setup)
  const finishProfile = profile === undefined ? async () => {} : await beginProfile(profile)
  process.on('message', (message) => {
    const { order } = message as Order
    if (order === 'publish') streams?.publish()
    if (order === 'collect') globalThis.gc?.()
    answer(usage(streams?.count() ?? 0))
  })
  process.once('disconnect', () => {
    finishProfile().then(close).then(() => process.exit(0), () => process.exit(1))
  })
  answer({ port, ...(token === undefined ? {} : { token }) })
}

function answer (message: Started | Usage): void {
  process.send?.(message)
}

function usage (streams: number): Usage {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return { cpuUs: user + system, rssBytes: rss, heapBytes: heapUsed, streams }
}

async function beginProfile (file: string): Promise<() => Promise<void>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(file, JSON.stringify(profile))
  }
}
