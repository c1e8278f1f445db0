import { Refusal, type RefusalFacts } from './refusal.ts'

/** Why a call was stopped. */
export type CancelReason = 'caller_gone' | 'caller_cancelled' | 'time_limit' | 'shutting_down'

/** The call was stopped before it had done its work. */
export class CancelledRefusal extends Refusal {
  readonly code = 'cancelled'

  constructor (reason: CancelReason = 'caller_gone') {
    super({ retryable: true, details: { reason }, ...cancellations[reason] })
  }
}

const observeFirst = 'If it was to act on a phone, observe to see how far it came before repeating it.'

const byCaller = { message: 'The call was cancelled before it finished.', nextAction: observeFirst }

const cancellations: Readonly<Record<CancelReason, Pick<RefusalFacts, 'message' | 'nextAction' | 'retryAfterMs'>>> = {
  caller_gone: byCaller,
  caller_cancelled: byCaller,
  time_limit: {
    message: 'The call was stopped because it ran longer than a call may.',
    nextAction: `Ask for less in one call, e.g. a shorter wait. ${observeFirst}`
  },
  shutting_down: {
    message: 'The call was stopped because the gateway is shutting down.',
    retryAfterMs: 1_000,
    nextAction: `Wait retryAfterMs, then repeat the call with the same lease; that of a virtual phone has ended then, and a new one is needed. ${observeFirst}`
  }
}

/** What an aborted signal means to the caller: the refusal it was aborted with, if it was one. */
export function cancelledBy ({ reason }: AbortSignal): Refusal {
  return reason instanceof Refusal ? reason : new CancelledRefusal()
}

/** @throws {CancelledRefusal} the signal has aborted */
export function ensureNotCancelled (signal: AbortSignal): void {
  if (signal.aborted) throw cancelledBy(signal)
}
