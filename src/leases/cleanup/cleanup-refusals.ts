import { Refusal } from '../../refusals/refusal.ts'

/** The lease has changed more different things than can be undone in useful time. */
export class TooManyChangesRefusal extends Refusal {
  readonly code = 'too_many_changes'
  override readonly kind = 'limit'

  constructor (device: string, changes: number) {
    super({
      message: `${changes} different things have been changed on device ${device}; no more can be before they are undone.`,
      retryable: false,
      nextAction: 'Release the lease and acquire a device again, or reset this one.',
      details: { device }
    })
  }
}
