/**
 * What phones in a process of their own and their drivers say to each other: JSON, a line a
 * message, over a socket of this machine.
 */
import type { Socket } from 'node:net'
import type { DeviceDescription } from '../../src/devices/device-types.ts'
import type { RefusalBody } from '../../src/refusals/refusal.ts'

/** The first message from the phones. */
export interface Introduction {
  readonly phones: ReadonlyArray<{ readonly description: DeviceDescription, readonly operations: readonly string[] }>
}

/** What a driver is to do. Without a fence it is a question that belongs to no lease. */
export interface Order {
  readonly id: number
  readonly phone: string
  readonly operation: string
  readonly args: readonly unknown[]
  readonly fence?: number
}

export interface Cancellation { readonly cancel: number }

export type Outcome = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly refusal: RefusalBody }
  | { readonly fault: string }
)

export function writeMessage (socket: Socket, message: Introduction | Order | Cancellation | Outcome): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`)
}

/** What the other side says; it must be the kind of message it always sends. */
export function readMessages<Message> (socket: Socket, read: (message: Message) => void): void {
  let rest = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    // A process that was killed may not have finished its last one.
    rest = lines.pop() ?? ''
    for (const line of lines) read(JSON.parse(line, reviveBytes) as Message)
  })
}

/** Pictures and files come as JSON has them. */
function reviveBytes (_name: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value && Array.isArray(value.data)
  return isBytes ? Buffer.from(value.data as number[]) : value
}
