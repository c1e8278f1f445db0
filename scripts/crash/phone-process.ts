/**
 * Phones that outlive the gateway: virtual ones in a process of their own, as real ones are out
 * of reach of whatever happens to the server.
 *
 * Like a real phone, it obeys every caller that reaches it. It compares no fences, so that its log shows
 * what really came: each action with the fence and the words it was given, in the order in
 * which it began. A gateway that dies leaves behind what it had already asked for.
 */
import { createServer, type Socket } from 'node:net'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import { createVirtualPhones } from '../../src/devices/virtual/virtual-phones.ts'
import { virtualSettings } from '../../src/devices/virtual/virtual-settings.ts'
import { Refusal } from '../../src/refusals/refusal.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import type { LoggedAction } from './phone-log.ts'
import { readMessages, writeMessage, type Cancellation, type Order, type Outcome } from './phone-wire.ts'

const { CRASH_PHONES: count = '10' } = process.env

// Actions take a moment, so that two at once would be seen.
const settings = virtualSettings.parse({ android: Number(count), ios: 0, faults: { latency: { fixedMs: 1, jitterMs: 12 } } })
const phones = new Map(createVirtualPhones({ settings, clock: systemClock, scheduler: systemScheduler, ids: randomIds })
  .map((driver) => [driver.description.id, driver]))

let log: LoggedAction[] = []

const server = createServer((socket) => {
  const running = new Map<number, AbortController>()
  socket.on('error', () => {})
  writeMessage(socket, {
    phones: [...phones.values()].map((driver) => ({ description: driver.description, operations: operationsOf(driver) }))
  })
  readMessages<Order | Cancellation>(socket, (message) => {
    if ('cancel' in message) running.get(message.cancel)?.abort()
    else obey(socket, running, message).catch((error: unknown) => { throw error })
  })
})

async function obey (socket: Socket, running: Map<number, AbortController>, order: Order): Promise<void> {
  const controller = new AbortController()
  running.set(order.id, controller)
  const outcome = await perform(order, controller.signal)
  running.delete(order.id)
  writeMessage(socket, outcome)
}

async function perform ({ id, phone, operation, args, fence }: Order, signal: AbortSignal): Promise<Outcome> {
  const driver = phones.get(phone)
  if (driver === undefined) return { id, fault: `there is no phone ${phone}` }
  const work: unknown = Reflect.get(driver, operation)
  if (typeof work !== 'function') return { id, fault: `a phone cannot ${operation}` }
  const action = fence === undefined ? undefined : begin({ phone, operation, fence, words: JSON.stringify(args).slice(0, 200) })
  try {
    return { id, result: await Reflect.apply(work, driver, [...args, fence === undefined ? signal : { fence, signal }]) }
  } catch (error) {
    if (error instanceof Refusal) return { id, refusal: error.toJSON() }
    return { id, fault: String(error) }
  } finally {
    if (action !== undefined) action.endedAtMs = systemClock.monotonicMs()
  }
}

function begin (action: Pick<LoggedAction, 'phone' | 'operation' | 'fence' | 'words'>): { endedAtMs: number | undefined } {
  const logged = { ...action, begunAtMs: systemClock.monotonicMs(), endedAtMs: undefined }
  log.push(logged)
  return logged
}

function operationsOf (driver: DeviceDriver): readonly string[] {
  return Object.entries(driver).flatMap(([name, work]) => typeof work === 'function' && name !== 'close' ? [name] : [])
}

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the phones have no port')
  process.send?.({ port: address.port })
})

// Its parent asks for what has happened since it last asked.
process.on('message', () => {
  const done = log.filter(({ endedAtMs }) => endedAtMs !== undefined)
  log = log.filter(({ endedAtMs }) => endedAtMs === undefined)
  process.send?.({ actions: done })
})
process.once('disconnect', () => process.exit(0))
