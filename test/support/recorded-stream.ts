import type { MessageStream } from '../../src/protocol/message-stream.ts'

/** A stream that keeps what is sent on it, with a reader that does what the test says. */
export interface RecordedStream extends MessageStream {
  readonly messages: readonly any[]
  /** How the server has finished it. */
  readonly finished: 'ended' | 'dropped' | undefined
  /** Bytes that the reader does not take. */
  queuedBytes: number
  /** The client goes away. */
  vanish (): void
}

export function recordedStream (): RecordedStream {
  const messages: unknown[] = []
  const listeners: Array<() => void> = []
  let isOpen = true
  let finished: RecordedStream['finished']

  function close (how?: RecordedStream['finished']): void {
    if (!isOpen) throw new Error('the stream is over already')
    isOpen = false
    finished = how
    for (const listener of listeners) listener()
  }

  return {
    messages,
    queuedBytes: 0,
    get isOpen () { return isOpen },
    get hasBegun () { return messages.length > 0 },
    get finished () { return finished },
    send (message) {
      if (!isOpen) throw new Error('something is sent on a stream that is over')
      messages.push(JSON.parse(message.toString()))
    },
    end: () => close('ended'),
    drop: () => close('dropped'),
    vanish: () => close(),
    onClose: (listener) => { listeners.push(listener) }
  }
}
