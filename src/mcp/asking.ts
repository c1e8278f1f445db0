/**
 * Asking, whatever the era: which questions have answers, which are open, and which cannot be
 * asked. How an open one reaches the caller is the era's (`modern-rounds.ts`, `legacy-rounds.ts`).
 */
import type { Question } from '../protocol/question.ts'
import type { Asking, Questions } from '../tools/asking.ts'
import { AskedTooOftenRefusal } from './asking-refusals.ts'

/** The most rounds one call may ask. */
export const maxRounds = 8

/** The caller of one request, as far as it can be asked. */
export interface AskedCaller {
  /** What it has answered so far, unchecked, by key. */
  readonly answers: ReadonlyMap<string, unknown>
  /** How many rounds it has been asked. */
  readonly rounds: number
  canBeAsked (key: string, question: Question): boolean
  /**
   * Asks one round. When it returns, the caller may have answered, or turned out not to be able
   * to; where every answer is `needed`, the latter is thrown at once.
   */
  ask (open: ReadonlyMap<string, Question>, needed: boolean): Promise<void>
  /** The "no" for work that cannot go on without an answer. */
  cannotBeAsked (questions: readonly Question[]): Error
}

export function createAsking (caller: AskedCaller): Asking {
  async function gather (questions: Questions, needed: boolean): Promise<Record<string, unknown>> {
    for (;;) {
      const given: Array<[string, unknown]> = []
      const open = new Map<string, Question>()
      const unaskable: Question[] = []
      for (const [key, question] of Object.entries(questions)) {
        const answer = caller.answers.has(key) ? question.answer.safeParse(caller.answers.get(key)) : undefined
        if (answer?.success === true) given.push([key, answer.data])
        // MRTR-08: what is no answer is asked again.
        else if (caller.canBeAsked(key, question)) open.set(key, question)
        else unaskable.push(question)
      }
      if (needed && unaskable.length > 0) throw caller.cannotBeAsked(unaskable)
      if (open.size === 0) return Object.fromEntries(given)
      if (caller.rounds >= maxRounds) throw new AskedTooOftenRefusal(maxRounds)
      await caller.ask(open, needed)
    }
  }

  // Each answer has passed the check of its question, which is what the types below say.
  return {
    ask: async (key, question) => (await gather({ [key]: question }, true))[key] as never,
    askAll: async (questions) => await gather(questions, true) as never,
    tryAsk: async (key, question) => (await gather({ [key]: question }, false))[key] as never,
    tryAskAll: async (questions) => await gather(questions, false) as never
  }
}

/** For work that did not say that it asks, so that no way to its caller was kept open. */
export const unannounced: Asking = {
  ask: refuse,
  askAll: refuse,
  tryAsk: refuse,
  tryAskAll: refuse
}

function refuse (): never {
  throw new Error('it asks its caller without `asks: true` in its definition')
}
