import { once } from 'node:events'
import { connect } from 'node:net'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { Command, DeviceDescription } from '../../src/devices/device-types.ts'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { Refusal, type RefusalBody } from '../../src/refusals/refusal.ts'
import { readMessages, writeMessage, type Introduction, type Outcome } from './phone-wire.ts'

interface Waiting {
  resolve (result: unknown): void
  reject (error: unknown): void
}

/** Drivers for the phones of a process of their own (`phone-process.ts`). */
export async function connectRemotePhones (port: number): Promise<readonly DeviceDriver[]> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const waiting = new Map<number, Waiting & { readonly phone: string }>()
  let lastId = 0

  function send (phone: string, operation: string, args: readonly unknown[]): Promise<unknown> {
    const last = args.at(-1)
    const signal = last instanceof AbortSignal ? last : (last as Command).signal
    const id = ++lastId
    return new Promise((resolve, reject) => {
      if (socket.destroyed) throw offline(phone)
      const stop = (): void => writeMessage(socket, { cancel: id })
      signal.addEventListener('abort', stop, { once: true })
      waiting.set(id, {
        phone,
        resolve (result) { signal.removeEventListener('abort', stop); resolve(result) },
        reject (error) { signal.removeEventListener('abort', stop); reject(error) }
      })
      writeMessage(socket, {
        id, phone, operation, args: args.slice(0, -1), ...(last instanceof AbortSignal ? {} : { fence: (last as Command).fence })
      })
    })
  }

  function settle (outcome: Outcome): void {
    const caller = waiting.get(outcome.id)
    waiting.delete(outcome.id)
    if ('result' in outcome) caller?.resolve(outcome.result)
    else if ('refusal' in outcome) caller?.reject(new RemoteRefusal(outcome.refusal))
    else if ('fault' in outcome) caller?.reject(new Error(outcome.fault))
    // JSON leaves out what is undefined.
    else caller?.resolve(undefined)
  }

  socket.on('error', () => {})
  socket.once('close', () => {
    for (const { phone, reject } of waiting.values()) reject(offline(phone))
    waiting.clear()
  })

  const { phones } = await new Promise<Introduction>((resolve) => {
    readMessages<Introduction | Outcome>(socket, (message) => {
      if ('phones' in message) resolve(message)
      else settle(message)
    })
  })
  return phones.map(({ description, operations }) => remoteDriver(description, operations, send, () => socket.destroy()))
}

/** It can do what the phone can, which is a driver itself: so it is one, though no compiler sees that. */
function remoteDriver (
  description: DeviceDescription, operations: readonly string[],
  send: (phone: string, operation: string, args: readonly unknown[]) => Promise<unknown>, hangUp: () => void
): DeviceDriver {
  return {
    ...Object.fromEntries(operations.map((operation) => [
      operation, async (...args: readonly unknown[]) => await send(description.id, operation, args)
    ])),
    description,
    async close () { hangUp() }
  } as DeviceDriver
}

function offline (phone: string): DeviceOfflineRefusal {
  return new DeviceOfflineRefusal(phone, { retryAfterMs: 1_000 })
}

/** What a phone refused, said again on this side. */
class RemoteRefusal extends Refusal {
  readonly code: string

  constructor ({ code, message, retryable, retryAfterMs, nextAction, ...details }: RefusalBody) {
    super({ message, nextAction, details, ...(retryAfterMs === undefined ? { retryable } : { retryable: true, retryAfterMs }) })
    this.code = code
  }
}
