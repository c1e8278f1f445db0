/**
 * The exchange: the whole life of what comes in, over whatever channel its answer goes back.
 *
 * A request is found among those that run, so that it can be cancelled and ended; what it names
 * is found once (`dispatcher.ts`); then it runs, and its answer goes out as one message or as the
 * last of a stream. An entry of a batch goes the same way over a channel of its own.
 *
 * Rules that hold over every channel:
 *
 * - A modern caller cancels by going away (CANCEL-01); a legacy one by name (LEGACY-13), and its
 *   work goes on without it. What only waits ends with its caller in either era: nothing that
 *   comes later could still be told to it.
 * - What waits gives its place among what is worked on away: a queue has more room than there are
 *   places, and must not keep out the request that would shorten it.
 * - A stream begins with its first message, or when the work takes longer than a turn of the event
 *   loop. Until then the answer still has its own status (HTTP-18).
 * - What making an answer brought about is undone when the answer was not delivered.
 */
import { encodeError, type Encoder } from '../../protocol/encode.ts'
import { wantsAnswer, type Envelope, type Incoming } from '../../protocol/envelope.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { AnswerForm } from '../../protocol/media-types.ts'
import type { Rejection } from '../../protocol/rejection.ts'
import { inBandSessionKey } from '../../protocol/session-key.ts'
import type { Era } from '../../protocol/versions.ts'
import type { Dispatcher, Outcome, Prepared, PreparedCall, PreparedStream } from '../dispatcher.ts'
import type { TakeInbound } from '../inbound-notifications.ts'
import { isPromise } from '../is-promise.ts'
import { noSession, type LegacySessions } from '../legacy-sessions.ts'
import type { RunningRequest, RunningRequests } from '../running-requests.ts'
import { BatchChannel, BatchEntry } from './batch-entry.ts'
import { BoundRequest } from './bound-request.ts'
import type { CallerIdentity } from './caller-identity.ts'
import type { Answer, AnswerStream, Channel, Sender } from './channel.ts'
import { contextOn, silent } from './stream-context.ts'

export interface Exchange {
  /** Answers one incoming message. Never throws. */
  answer (incoming: Incoming, sender: Sender, channel: Channel): Answering
}

/**
 * Resolves when the work is over, or its stream has a new owner; whether the answer arrives is the
 * channel's business. Never rejects, so it need not be awaited.
 */
export interface Answering extends Promise<void> {}

export interface ExchangeParts {
  readonly dispatcher: Dispatcher
  readonly encoder: Encoder
  readonly running: RunningRequests
  readonly takeInbound: TakeInbound
  /** Undefined where no session ids are given out. */
  readonly legacySessions: LegacySessions | undefined
  readonly log: { warn (facts: object, message: string): void }
}

export function createExchange ({ dispatcher, encoder, running, takeInbound, legacySessions, log }: ExchangeParts): Exchange {
  function answer (incoming: Incoming, sender: Sender, channel: Channel): Answering {
    switch (incoming.kind) {
      case 'request': return answerRequest(incoming.envelope, sender, channel)
      case 'batch': return answerBatch(incoming.elements, sender, channel)
      case 'rejected':
        channel.answer(rejectedAnswer(incoming.rejection, encodeError(incoming.id, incoming.rejection)))
        return done
      case 'notification':
      case 'response':
        takeInbound(incoming, identityOf(sender))
        channel.acknowledge()
        return done
    }
  }

  async function answerRequest (envelope: Envelope, sender: Sender, channel: Channel): Promise<void> {
    const { era, id } = envelope
    // A key in a header outranks one in the arguments (POOL-04).
    const caller = identityOf(sender, era, sender.sessionKey ?? inBandSessionKey(envelope))
    const run = running.begin(era === 'legacy' ? { caller, id } : undefined, channel.via)
    const request = new BoundRequest(envelope, sender, caller, run)
    const { place } = channel
    place?.keep()
    let keepsPlace = true
    let stream: AnswerStream | undefined
    let stopWatching = era === 'modern' ? channel.whenGone(() => run.abort()) : undefined
    try {
      const found = dispatcher.prepare(request)
      const prepared = isPromise(found) ? await found : found
      if (channel.turnAway?.(formOf[prepared.kind]) === true) return
      if (prepared.kind === 'open') {
        await open(prepared, request, channel)
        return
      }
      if (prepared.maxWaitMs > 0) {
        run.allow(prepared.maxWaitMs)
        stopWatching ??= channel.whenGone(() => run.abort())
        place?.release()
        place?.leave()
        keepsPlace = false
      }
      if (prepared.kind === 'stream') stream = channel.openStream()
      let outcome: Outcome
      try {
        const ran = stream === undefined ? prepared.run(silent) : runOn(stream, prepared, request)
        outcome = isPromise(ran) ? await ran : ran
      } catch (error) {
        outcome = { kind: 'rejected', rejection: dispatcher.rejectionOf(error, request.method) }
      }
      if (outcome.kind === 'complete' && outcome.undo !== undefined) await undoUnlessDelivered(outcome.undo, run, channel)
      finish(answerOf(request, outcome), { run, channel, stream })
    } catch (error) {
      stream?.end()
      channel.fail(error)
    } finally {
      stopWatching?.()
      run.end()
      if (keepsPlace) place?.leave()
    }
  }

  /** Session ids mean something in the legacy era alone. */
  function identityOf ({ principal, sessionId, sessionKey }: Sender, era: Era = 'legacy', key = sessionKey): CallerIdentity {
    const given = era === 'legacy' && legacySessions !== undefined ? legacySessions.read(sessionId, principal) : noSession
    return { principal, sessionKey: key, sessionId: given.idHash, legacySession: given.session }
  }

  /** LEGACY-21: each element is handled alone; notifications leave no trace in the answer. */
  async function answerBatch (elements: readonly Incoming[], sender: Sender, channel: Channel): Promise<void> {
    // Notifications and responses alone want no answer.
    if (elements.some(wantsAnswer) && channel.turnAway?.('message') === true) return
    const { place } = channel
    place?.keep()
    try {
      const batch = new BatchChannel(channel)
      const entries = await Promise.all(elements.map(async (element) => {
        const entry = new BatchEntry(batch)
        await answer(element, sender, entry)
        if (entry.error !== undefined) throw entry.error
        return entry
      }))
      const messages = entries.flatMap(({ message }) => message ?? [])
      if (messages.length === 0) channel.acknowledge()
      else channel.answer({ status: 200, message: `[${messages.join(',')}]` })
    } catch (error) {
      channel.fail(error)
    } finally {
      place?.leave()
    }
  }

  /** Answers with a stream that goes on, and counts no longer as a request that is worked on. */
  async function open (prepared: PreparedStream, request: McpRequest, channel: Channel): Promise<void> {
    const stream = channel.openStream()
    if (stream === undefined) throw new Error('a stream was asked for where none can be')
    const rejection = await prepared.open(stream)
    if (rejection !== undefined) {
      stream.end()
      channel.answer(answerOf(request, { kind: 'rejected', rejection }))
      return
    }
    stream.keepOpen()
    channel.place?.release()
  }

  async function runOn (stream: AnswerStream, prepared: PreparedCall, request: McpRequest): Promise<Outcome> {
    const beginning = setImmediate(() => stream.begin())
    try {
      return await prepared.run(contextOn(stream, request))
    } finally {
      clearImmediate(beginning)
    }
  }

  function finish (answer: Answer, { run, channel, stream }: {
    readonly run: RunningRequest
    readonly channel: Channel
    readonly stream: AnswerStream | undefined
  }): void {
    if (stream?.hasBegun === true) {
      // A caller that has cancelled by name expects no answer (LEGACY-13).
      if (!run.isCancelled) stream.send(answer.message.toString())
      stream.end()
    } else {
      // What the work reports from now on goes nowhere.
      stream?.end()
      channel.answer(answer)
    }
  }

  /** Returns when the answer may go out, which is before it is known whether it arrives. */
  async function undoUnlessDelivered (undo: () => Promise<void>, run: RunningRequest, channel: Channel): Promise<void> {
    const delivered = await channel.isThere() ? channel.delivered() : false
    async function settle (): Promise<void> {
      // A caller that cancelled after the answer was made has not taken it.
      if (!await delivered || run.isCancelled) await undo()
    }
    settle().catch((error: unknown) => log.warn({ err: error }, 'what an undelivered call made could not be taken back'))
  }

  function answerOf (request: McpRequest, outcome: Outcome): Answer {
    return outcome.kind === 'rejected'
      ? rejectedAnswer(outcome.rejection, encodeError(request.id, outcome.rejection, request.era))
      : { status: 200, message: encoder.result(request, outcome), sessionId: outcome.kind === 'complete' ? outcome.sessionId : undefined }
  }

  return { answer }
}

const formOf: Readonly<Record<Prepared['kind'], AnswerForm>> = { json: 'message', stream: 'either', open: 'stream' }

const done: Answering = Promise.resolve()

function rejectedAnswer ({ status, retryAfterMs }: Rejection, message: string): Answer {
  return { status, retryAfterMs, message }
}
