/**
 * How a tool, a prompt or a resource asks its caller, in as many rounds as it needs.
 *
 * It reads like straight code: `const answer = await call.ask('color', question)`. Underneath, a
 * modern caller cannot be asked while it waits. A question without an answer ends the run; the
 * caller gets the question as the result and calls again with its answer, and the work runs
 * again from its beginning, where `ask` now returns what was answered (MRTR-01…08). A legacy
 * caller is asked on the stream of its call, and `ask` waits (LEGACY-14). Work that asks keeps
 * to three rules, and need not know which era it is:
 *
 * - Ask first, act afterwards. What stands before the last question is done once for each round.
 *   Nothing has happened yet when the user says no (MRTR-09).
 * - A key names one question, and the same one in every run: it finds the answer. What the
 *   question depends on and can change between rounds is part of the key.
 * - What `ask` throws goes on to the caller; only a `Refusal` may be caught.
 *
 * An answer is checked before the work gets it; one that is no answer to its question is asked
 * for again.
 */
import { formQuestion, type FilledIn } from '../protocol/form-question.ts'
import type { Question, Refused } from '../protocol/question.ts'
import { NotConfirmedRefusal } from './tool-refusals.ts'

/** Several questions of one round, by key. */
export type Questions = Readonly<Record<string, Question>>

export type Answers<Asked extends Questions> = {
  readonly [Key in keyof Asked]: Asked[Key] extends Question<infer Answer> ? Answer : never
}

export type PossibleAnswers<Asked extends Questions> = { readonly [Key in keyof Asked]: Answers<Asked>[Key] | undefined }

export interface Asking {
  /** Asks for what the work cannot do without. A caller that cannot be asked is told what its client must be able to do. */
  ask<Answer> (key: string, question: Question<Answer>): Promise<Answer>
  /** Asks several such things in one round. */
  askAll<Asked extends Questions> (questions: Asked): Promise<Answers<Asked>>
  /** Asks for what the work can do without: undefined when the caller cannot be asked. */
  tryAsk<Answer> (key: string, question: Question<Answer>): Promise<Answer | undefined>
  /** Asks, in one round, those of several such things that the caller can be asked. */
  tryAskAll<Asked extends Questions> (questions: Asked): Promise<PossibleAnswers<Asked>>
}

/**
 * What the user filled in.
 *
 * @param what a clause for the refusal, such as `resetting virtual-ios-1`
 * @throws {NotConfirmedRefusal} the user declined, or closed the question
 */
export function filledIn<Values> (answer: FilledIn<Values> | Refused, what: string): Values {
  if (answer.action !== 'accept') throw new NotConfirmedRefusal({ what, action: answer.action })
  return answer.content
}

/** A question whose user agrees to something by ticking one box, which has to be there and ticked. */
export function agreementQuestion ({ message, title }: { readonly message: string, readonly title: string }): Question<Agreement> {
  return formQuestion({ message, fields: { confirm: { type: 'boolean', title } }, required: ['confirm'] })
}

export type Agreement = FilledIn<{ readonly confirm: boolean }> | Refused

/**
 * Goes on only when the user agreed: a form that was sent off as it came agrees to nothing.
 *
 * @param what a clause for the refusal, such as `resetting virtual-ios-1`
 * @throws {NotConfirmedRefusal} the user declined, closed the question, or left the box empty
 */
export function ensureAgreed (answer: Agreement, what: string): void {
  if (filledIn(answer, what).confirm !== true) throw new NotConfirmedRefusal({ what, action: 'decline' })
}
