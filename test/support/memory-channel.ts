import type { Answer, AnswerStream, Channel, Sender } from '../../src/mcp/exchange/channel.ts'
import { principal } from './mcp-request.ts'

/** A channel in memory, with a caller at its other end that does what the test says. */
export interface MemoryChannel extends Channel {
  /** The message that was the whole answer, parsed; undefined where there was none. */
  readonly answered: any
  /** The same as it was handed over. */
  readonly sent: Answer['message'] | undefined
  /** The status beside it. */
  readonly status: number | undefined
  /** The messages of the stream, in order. */
  readonly messages: readonly any[]
  readonly hasBegun: boolean
  /** How it is over; undefined as long as it is not. */
  readonly ended: 'answered' | 'acknowledged' | 'stream ended' | 'failed' | undefined
  readonly error: unknown
  readonly isKeptOpen: boolean
  /** How often the place was kept, left and released. */
  readonly places: { readonly keep: number, readonly leave: number, readonly release: number }
  /** How many want to know when the caller goes. */
  readonly watchers: number
  /** The caller goes away. */
  leave (): void
  /** Says whether the answer has reached the caller. */
  deliver (reached: boolean): void
}

export function memoryChannel ({ canStream = true }: { readonly canStream?: boolean } = {}): MemoryChannel {
  const messages: unknown[] = []
  const watchers = new Set<() => void>()
  const closeListeners: Array<() => void> = []
  const places = { keep: 0, leave: 0, release: 0 }
  const deliveries: Array<(reached: boolean) => void> = []
  let hasBegun = false
  let isThere = true
  let isStreamOver = false
  let isKeptOpen = false
  let answered: unknown
  let sent: MemoryChannel['sent']
  let status: number | undefined
  let error: unknown
  let ended: MemoryChannel['ended']

  function end (how: NonNullable<MemoryChannel['ended']>): void {
    if (ended !== undefined) throw new Error(`the channel is over already: ${ended}, and now ${how}`)
    ended = how
  }

  const stream: AnswerStream = {
    get isOpen () { return isThere && !isStreamOver },
    get hasBegun () { return hasBegun },
    queuedBytes: 0,
    begin () { hasBegun = true },
    send (message) {
      if (!stream.isOpen) return
      hasBegun = true
      messages.push(JSON.parse(message.toString()))
    },
    end () {
      if (isStreamOver) return
      isStreamOver = true
      if (hasBegun) end('stream ended')
      for (const listener of closeListeners) listener()
    },
    drop: () => stream.end(),
    keepOpen () { isKeptOpen = true },
    onClose: (listener) => { closeListeners.push(listener) }
  }

  return {
    get answered () { return answered },
    get sent () { return sent },
    get status () { return status },
    messages,
    get hasBegun () { return hasBegun },
    get ended () { return ended },
    get error () { return error },
    get isKeptOpen () { return isKeptOpen },
    places,
    get watchers () { return watchers.size },
    place: { keep () { places.keep++ }, leave () { places.leave++ }, release () { places.release++ } },
    openStream: () => canStream ? stream : undefined,
    answer (answer: Answer) {
      if (hasBegun) throw new Error('an answer beside a stream')
      end('answered')
      status = answer.status
      sent = answer.message
      answered = JSON.parse(answer.message.toString())
    },
    acknowledge: () => end('acknowledged'),
    fail (fault) {
      error = fault
      end('failed')
    },
    whenGone (listener) {
      if (isThere) watchers.add(listener)
      else listener()
      return () => { watchers.delete(listener) }
    },
    isThere: async () => isThere,
    delivered: async () => await new Promise<boolean>((resolve) => { deliveries.push(resolve) }),
    leave () {
      isThere = false
      for (const listener of watchers) listener()
      for (const listener of closeListeners) listener()
      for (const resolve of deliveries) resolve(false)
    },
    deliver (reached) { for (const resolve of deliveries) resolve(reached) }
  }
}

export function senderOf (subject = 'ada', more: Partial<Sender> = {}): Sender {
  return { principal: principal(subject), sessionKey: undefined, sessionId: undefined, parameterHeaders: {}, trace: undefined, ...more }
}
