import { Refusal } from '../../refusals/refusal.ts'
import type { CleanupLevel } from './cleanup-level.ts'

/** A release asks for less cleanup than the operator allows (`leases.lowestCleanup`). */
export class CleanupNotAllowedRefusal extends Refusal {
  readonly code = 'cleanup_not_allowed'

  constructor (wanted: CleanupLevel, lowest: CleanupLevel) {
    super({
      message: `This gateway does not release a device with cleanup ${wanted}.`,
      retryable: false,
      nextAction: `Release it with cleanup ${lowest} or more, or leave cleanup out.`,
      details: { lowest }
    })
  }
}

/** The lease has changed more different things than can be undone in useful time. */
export class TooManyChangesRefusal extends Refusal {
  readonly code = 'too_many_changes'

  constructor (device: string, changes: number) {
    super({
      message: `${changes} different things have been changed on device ${device}; no more can be before they are undone.`,
      retryable: false,
      nextAction: 'Release the lease and acquire a device again, or reset this one.',
      details: { device }
    })
  }
}
