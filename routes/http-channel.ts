import type { FastifyReply } from 'fastify'
import { sendHttpError } from '../plugins/http-error.ts'
import type {} from '../plugins/places.ts'
import { logAbandoned } from '../plugins/request-log.ts'
import type { Answer, AnswerStream, Channel, Place } from '../src/mcp/exchange/channel.ts'
import { acceptsForm, typesOfForm, type AnswerForm } from '../src/protocol/media-types.ts'
import { sendAnswer } from './send-answer.ts'

/** The way back to an HTTP client: its response. */
export class HttpChannel implements Channel {
  readonly place: Place | undefined
  readonly via: object
  readonly #reply: FastifyReply
  #delivered: Promise<boolean> | undefined
  #hasFailed = false

  constructor (reply: FastifyReply) {
    this.#reply = reply
    this.place = reply.request.place ?? undefined
    this.via = reply.server.server
  }

  /** HTTP-04. */
  turnAway (form: AnswerForm): boolean {
    const { accept } = this.#reply.request.headers
    if (acceptsForm(accept, form)) return false
    sendHttpError(this.#reply, 406, {
      error: 'Not acceptable', nextAction: `Send Accept: ${typesOfForm[form].join(', ')}; ${whyOf[form]}.`
    })
    return true
  }

  openStream (): AnswerStream {
    return this.#reply.server.openEventStream(this.#reply)
  }

  answer (answer: Answer): void {
    sendAnswer(this.#reply, answer)
  }

  acknowledge (): void {
    this.#reply.code(202).send()
  }

  fail (error: unknown): void {
    const { raw } = this.#reply
    this.#hasFailed = true
    if (raw.headersSent) raw.destroy()
    else this.#reply.send(error)
  }

  whenGone (listener: () => void): () => void {
    const reply = this.#reply
    const { raw, request } = reply
    const leave = (): void => {
      if (raw.writableFinished) return
      logAbandoned(request, reply)
      listener()
    }
    // It can have left already, with the last byte of its request: then `close` is over.
    if (raw.destroyed) leave()
    else raw.on('close', leave)
    return () => raw.off('close', leave)
  }

  /** A response that goes out when the caller has left does not reach it. */
  async isThere (): Promise<boolean> {
    // That it has left may have arrived without having been read. Only the second turn comes after a look at the network.
    await turn()
    await turn()
    const { raw, request: { socket } } = this.#reply
    return !raw.destroyed && !socket.destroyed && !socket.readableEnded
  }

  delivered (): Promise<boolean> {
    this.#delivered ??= new Promise((resolve) => {
      const { raw, request: { socket } } = this.#reply
      // A response whose connection breaks counts as finished too.
      raw.once('close', () => resolve(raw.writableFinished && socket.errored === null && !this.#hasFailed))
    })
    return this.#delivered
  }
}

const whyOf: Readonly<Record<AnswerForm, string>> = {
  message: 'the answer is JSON', stream: 'the answer is a stream of events', either: 'the answer can be either'
}

async function turn (): Promise<void> {
  await new Promise<void>((resolve) => { setImmediate(resolve) })
}
