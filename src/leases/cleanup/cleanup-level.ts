import { Refusal } from '../../refusals/refusal.ts'

/**
 * How much is put back when a lease ends:
 *
 *   none  only what would get into the next holder's way: a recording is stopped
 *   apps  what the lease changed is undone, apps are stopped, the home screen is in front
 *   full  the phone is as new
 *
 * A virtual phone is as new after `apps` too: that costs it nothing.
 */
export const cleanupLevels = ['none', 'apps', 'full'] as const
export type CleanupLevel = (typeof cleanupLevels)[number]

/** The level when the release names none, and when the lease ended by itself. */
export function usualCleanup (lowest: CleanupLevel): CleanupLevel {
  return lowest === 'full' ? 'full' : 'apps'
}

/**
 * The level that a holder gets.
 *
 * @throws {CleanupNotAllowedRefusal} the operator wants more than the holder does
 */
export function allowedCleanup (wanted: CleanupLevel | undefined, lowest: CleanupLevel): CleanupLevel {
  if (wanted === undefined) return usualCleanup(lowest)
  if (cleanupLevels.indexOf(wanted) < cleanupLevels.indexOf(lowest)) throw new CleanupNotAllowedRefusal(wanted, lowest)
  return wanted
}

/** A release asks for less cleanup than the operator allows (`leases.lowestCleanup`). */
export class CleanupNotAllowedRefusal extends Refusal {
  readonly code = 'cleanup_not_allowed'
  override readonly kind = 'forbidden'

  constructor (wanted: CleanupLevel, lowest: CleanupLevel) {
    super({
      message: `This gateway does not release a device with cleanup ${wanted}.`,
      retryable: false,
      nextAction: `Release it with cleanup ${lowest} or more, or leave cleanup out.`,
      details: { lowest }
    })
  }
}
