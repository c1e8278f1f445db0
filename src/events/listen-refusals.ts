import { Refusal } from '../refusals/refusal.ts'

const retryAfterMs = 10_000

/** As many listen streams are open as may be. */
export class TooManyStreamsRefusal extends Refusal {
  readonly code = 'too_many_listen_streams'
  override readonly kind = 'limit'

  constructor ({ limit, whose }: { readonly limit: number, readonly whose: 'yours' | 'all' }) {
    super({
      message: whose === 'yours' ? `You have ${limit} listen streams open, which is the limit.` : `${limit} listen streams are open, which is the limit.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Close a listen stream that is not needed any more, or ask for everything in one; poll the lists and resources until then.',
      details: { limit }
    })
  }
}

/** One stream subscribes to more resources than it may. */
export class FilterTooLargeRefusal extends Refusal {
  readonly code = 'listen_filter_too_large'
  override readonly kind = 'limit'

  constructor ({ limit, asked }: { readonly limit: number, readonly asked: number }) {
    super({
      message: `A listen stream can subscribe to ${limit} resources at most, and this one asks for ${asked}.`,
      retryable: false,
      nextAction: `Subscribe to at most ${limit} resources in one stream.`,
      details: { limit, asked }
    })
  }
}

/** All streams together subscribe to as many resources as they may. */
export class TooManySubscriptionsRefusal extends Refusal {
  readonly code = 'too_many_subscriptions'
  override readonly kind = 'limit'

  constructor ({ limit }: { readonly limit: number }) {
    super({
      message: `The open listen streams subscribe to so many resources that this one would exceed the limit of ${limit}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Subscribe to fewer resources, or try again later; read the resources when you need them until then.',
      details: { limit }
    })
  }
}
