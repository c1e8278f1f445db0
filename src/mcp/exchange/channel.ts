import type { FramedResult } from '../../protocol/encode.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { AnswerForm } from '../../protocol/media-types.ts'
import type { MessageStream } from '../../protocol/message-stream.ts'

/** The sender of a message, with what came beside the message and belongs to all requests in it. */
export interface Sender extends Pick<McpRequest, 'principal' | 'sessionKey' | 'parameterHeaders' | 'trace'> {
  /** The session id as a client of the 2025 revisions sent it: any text, or none. */
  readonly sessionId: string | undefined
}

/** One encoded message, with what a channel that has statuses says beside it. */
export interface Answer {
  readonly status: number
  readonly retryAfterMs?: number | undefined
  readonly message: string | FramedResult
  /** For a channel that hands out session ids (LEGACY-02). */
  readonly sessionId?: string | undefined
}

/**
 * The way back to the sender of one incoming message: an HTTP response, a line on a pipe, an
 * entry of a batch. Exactly one of `answer`, `acknowledge`, `fail` and a
 * `turnAway` that says true ends it, or the end of the stream that it has become.
 */
export interface Channel {
  /** What counts the work that is done for this message; undefined where it is not counted. */
  readonly place: Place | undefined
  /** The ingress that the message came through: when that closes, what came through it is told to stop. */
  readonly via?: object | undefined
  /**
   * Turns a caller away that does not take an answer of that form, before any work is done for it.
   * Absent where every caller takes every form.
   *
   * @returns whether it did, which ends the channel
   */
  turnAway? (form: AnswerForm): boolean
  /**
   * Makes the answer a stream, on which messages may precede it.
   *
   * @returns undefined where there is room for the answer alone
   */
  openStream (): AnswerStream | undefined
  /** Answers with one message. Not after a stream has begun: there the answer is its last message. */
  answer (answer: Answer): void
  /** Takes note of what wants no answer. */
  acknowledge (): void
  /** Gives up, because of a fault of ours. */
  fail (error: unknown): void
  /**
   * Calls `listener` once when the caller goes away before its answer has been handed over; at
   * once where it has gone already.
   *
   * @returns what stops watching
   */
  whenGone (listener: () => void): () => void
  /** Whether the caller is still there, after a look at all that has come from it until now. */
  isThere (): Promise<boolean>
  /** Resolves when the channel is over: whether an answer, and all of it, was handed over. Ask before answering. */
  delivered (): Promise<boolean>
}

/** A place among what is worked on at a time. It is free again when nothing keeps it any more. */
export interface Place {
  /** Work keeps the place, also when the channel has closed. */
  keep (): void
  /** The work that kept it has ended. */
  leave (): void
  /**
   * The channel keeps it no longer, which it does from the beginning until it closes: it goes on as
   * an idle stream with limits of its own, and draining does not wait for its end.
   */
  release (): void
}

export interface AnswerStream extends MessageStream {
  /** Shows life, while there is nothing to say yet. */
  begin (): void
  /** Lets the stream go on after the exchange is over: its new owner ends it. */
  keepOpen (): void
  /** Ends the stream; nothing follows on it. One that has not begun leaves the answer to its channel. */
  end (): void
}
