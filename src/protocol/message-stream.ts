/**
 * One request's answer as a stream of messages (HTTP-14…16). It begins with its first message;
 * until then the request can still be answered otherwise (HTTP-18).
 */
export interface MessageStream {
  /** False once the caller has gone, or the stream has ended. */
  readonly isOpen: boolean
  readonly hasBegun: boolean
  /** The ingress whose stream it is: when that closes, its streams end and those of others go on. */
  readonly via?: object
  /** Bytes that were sent and are still here, because the caller does not take them. */
  readonly queuedBytes: number
  /** Sends one JSON-RPC message, already encoded; does nothing once the stream is not open. */
  send (message: string | Buffer): void
  /** Ends the stream; nothing follows. */
  end (): void
  /** Cuts the connection, with whatever is still queued. */
  drop (): void
  /** Calls `listener` when the stream is over, however that came; not for one that is over already. */
  onClose (listener: () => void): void
}
