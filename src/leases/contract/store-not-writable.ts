import { Refusal } from '../../refusals/refusal.ts'

/** The database can be read, perhaps, but takes no writes now: its disk is full, or something is wrong with its file. */
export class StoreNotWritableRefusal extends Refusal {
  readonly code = 'store_not_writable'
  override readonly kind = 'unavailable'

  /** @param problem what is wrong, as the end of a sentence; safe for every caller */
  constructor (problem: string, cause?: unknown) {
    super({
      message: `The gateway cannot write to its database: ${problem}.`,
      retryable: true,
      retryAfterMs: 5_000,
      nextAction: 'Wait retryAfterMs and repeat the call; leases are kept, and a look at a phone still works. If it goes on, tell your user that the operator has to mend the database.',
      cause
    })
  }
}
