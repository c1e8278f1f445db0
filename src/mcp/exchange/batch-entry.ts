import type { Answer, AnswerStream, Channel } from './channel.ts'

/** The channel of a batch, as its entries share it. */
export class BatchChannel {
  readonly #channel: Channel
  readonly #listeners = new Set<() => void>()
  #stopWatching: (() => void) | undefined
  #isGone = false

  constructor (channel: Channel) {
    this.#channel = channel
  }

  get via (): object | undefined {
    return this.#channel.via
  }

  /** However many entries watch, the channel is watched once. */
  whenGone (listener: () => void): () => void {
    // The channel says it once, and an entry may ask later.
    if (this.#isGone) listener()
    else this.#listeners.add(listener)
    this.#stopWatching ??= this.#channel.whenGone(() => {
      this.#isGone = true
      for (const listener of this.#listeners) listener()
    })
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stopWatching?.()
      this.#stopWatching = undefined
    }
  }

  async isThere (): Promise<boolean> {
    return await this.#channel.isThere()
  }

  async delivered (): Promise<boolean> {
    return await this.#channel.delivered()
  }
}

/**
 * One entry of a batch (LEGACY-21): it is handled like a message of its own, and its answer is
 * collected. There is no room for anything before the answer, and the batch as a whole has the
 * place among what is worked on.
 */
export class BatchEntry implements Channel {
  readonly place = undefined
  /** The encoded answer; undefined for what wants none. */
  message: string | undefined
  error: unknown
  readonly #batch: BatchChannel

  constructor (batch: BatchChannel) {
    this.#batch = batch
  }

  get via (): object | undefined {
    return this.#batch.via
  }

  openStream (): AnswerStream | undefined {
    return undefined
  }

  answer ({ message }: Answer): void {
    this.message = message.toString()
  }

  acknowledge (): void {}

  fail (error: unknown): void {
    this.error = error
  }

  whenGone (listener: () => void): () => void {
    return this.#batch.whenGone(listener)
  }

  isThere (): Promise<boolean> {
    return this.#batch.isThere()
  }

  delivered (): Promise<boolean> {
    return this.#batch.delivered()
  }
}
