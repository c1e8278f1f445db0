import { quote } from '../text/quote.ts'
import { Refusal } from '../refusals/refusal.ts'

/** What was waited for did not come about in time. */
export class WaitTimeoutRefusal extends Refusal {
  readonly code = 'timeout'

  constructor (facts: {
    /** What was waited for, as a clause: `text "Done" to be visible`. */
    readonly awaited: string
    readonly waitedMs: number
    /** What the call had done before it began to wait. */
    readonly done?: string
    /** Lines of the last screen. */
    readonly screen: readonly string[]
    /** A sentence that says why, where that can be told. */
    readonly because?: string
    readonly nextAction?: string
  }) {
    super({
      message: `${facts.done === undefined ? '' : `${facts.done} But `}waited ${facts.waitedMs} ms for ${facts.awaited} in vain.${facts.because === undefined ? '' : ` ${facts.because}`}`.replace(/^w/, 'W'),
      retryable: facts.done === undefined,
      nextAction: facts.done === undefined
        ? facts.nextAction ?? 'Read the last screen below: wait longer if it is still loading, else go another way.'
        : 'Do not repeat the action: it was done. Read the last screen below, then waitFor longer or go another way.',
      details: { waitedMs: facts.waitedMs, screen: facts.screen }
    })
  }
}

/** The text has characters that no keyboard types. */
export class InvalidTextRefusal extends Refusal {
  readonly code = 'invalid_text'

  constructor ({ problem, position }: { readonly problem: string, readonly position: number }) {
    super({
      message: `The text cannot be typed: ${problem} at position ${position}.`,
      retryable: false,
      nextAction: 'Remove the character. Of control characters only line feed and tab are typed; use pressButton for keys.',
      details: { position }
    })
  }
}

/** The cursor is of no page of the list, or what it was of is gone. */
export class InvalidCursorRefusal extends Refusal {
  readonly code = 'invalid_cursor'

  constructor (cursor: string) {
    super({
      message: `The list has no page after ${quote(cursor, 60)}.`,
      retryable: false,
      nextAction: 'Use `next` of the page before as it is, or call without a cursor to begin again.'
    })
  }
}

/** The user was asked, and did not agree. */
export class NotConfirmedRefusal extends Refusal {
  readonly code = 'not_confirmed'

  constructor ({ what, action }: {
    /** What was asked about, as a clause: `resetting virtual-ios-1`. */
    readonly what: string
    /** Said no, or said nothing. */
    readonly action: 'decline' | 'cancel'
  }) {
    super({
      message: action === 'decline' ? `The user declined ${what}; nothing was done.` : `The user did not confirm ${what}; nothing was done.`,
      retryable: false,
      nextAction: action === 'decline'
        ? 'Go on without it. Do not repeat the call unless the user asks for it.'
        : 'Find out whether the user wants it before repeating the call.',
      details: { action }
    })
  }
}

/** The caller cannot be asked whether it is meant, so the call has to say so itself. */
export class ConfirmationRequiredRefusal extends Refusal {
  readonly code = 'confirmation_required'

  constructor (what: string) {
    super({
      message: `Your client cannot be asked to confirm ${what}, so nothing was done.`,
      retryable: false,
      nextAction: 'If it is wanted, repeat the call with confirm: true.'
    })
  }
}

/** The call names no lease, and which one it means cannot be told. */
export class LeaseRequiredRefusal extends Refusal {
  readonly code = 'lease_required'

  constructor ({ hasKey, free, leases, freeInAll }: {
    readonly hasKey: boolean
    /** Devices that could be acquired now, as far as they are listed. */
    readonly free: ReadonlyArray<Readonly<Record<string, unknown>>>
    /** Leases of the caller's principal, as far as they are listed. */
    readonly leases: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly freeInAll: number
  }) {
    const held = leases.length === 0 ? 'you hold none' : 'those you hold may be another agent\'s under the same token'
    const available = freeInAll === 0 ? 'no device is free' : freeInAll === 1 ? 'one device is free' : `${freeInAll} devices are free`
    super({
      message: `The call names no lease${hasKey ? ' and its session key stands for none' : ''}; ${held}, and ${available}.`,
      retryable: false,
      nextAction: leases.length === 0
        ? freeInAll === 0 ? 'Call acquireDevice with waitMs to wait for a device, then pass its lease.' : 'Call acquireDevice, and pass the lease it returns.'
        : 'Pass your lease if it is among those listed here; otherwise call acquireDevice.',
      details: { free, leases }
    })
  }
}
