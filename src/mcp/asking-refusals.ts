import type { JsonObject } from '../protocol/message.ts'
import { Refusal } from '../refusals/refusal.ts'

/** The work needs an answer that this client cannot give. Legacy callers only: others get -32021 (ERR-06). */
export class CannotAskRefusal extends Refusal {
  readonly code = 'client_cannot_answer'

  constructor (requiredCapabilities: JsonObject) {
    const kinds = Object.keys(requiredCapabilities).join(', ')
    super({
      message: `This needs to ask you something (${kinds}), and your client cannot be asked.`,
      retryable: false,
      nextAction: `Call it from a client that supports ${kinds}: one of MCP 2026-07-28, or one that answers requests on the stream of its call.`,
      details: { requiredCapabilities }
    })
  }
}

/** The client answered a question with an error. */
export class AnswerFailedRefusal extends Refusal {
  readonly code = 'answer_failed'

  constructor (method: string) {
    super({
      message: `Your client was asked (${method}) and answered with an error.`,
      retryable: true,
      nextAction: 'See why the client could not answer, then repeat the call.'
    })
  }
}

/** The client was asked, and the time of the call was over before it answered. */
export class NoAnswerRefusal extends Refusal {
  readonly code = 'no_answer'

  constructor (method: string) {
    super({
      message: `Your client was asked (${method}) and had not answered when the time of the call was over.`,
      retryable: true,
      nextAction: 'See that the question reaches the user, then repeat the call. What waited for the answer was not done.'
    })
  }
}

/** So many rounds without the answers that the work needs. */
export class AskedTooOftenRefusal extends Refusal {
  readonly code = 'asked_too_often'
  override readonly kind = 'limit'

  constructor (rounds: number) {
    super({
      message: `The call asked ${rounds} times and still has not got what it needs.`,
      retryable: false,
      nextAction: 'Check that the answers have the form that was asked for, then begin a new call.'
    })
  }
}

/** More questions wait for answers than are kept. */
export class TooManyQuestionsRefusal extends Refusal {
  readonly code = 'too_many_questions'
  override readonly kind = 'limit'

  constructor () {
    super({
      message: 'Too many questions wait for an answer already.',
      retryable: true,
      retryAfterMs: 1_000,
      nextAction: 'Answer the open ones, or cancel their calls, then repeat this one.'
    })
  }
}
