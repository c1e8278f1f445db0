import { createAsking } from '../../src/mcp/asking.ts'
import type { Question } from '../../src/protocol/question.ts'
import type { Asking } from '../../src/tools/asking.ts'

/** A caller that answers as the test says, by key or by the first word of one; it cannot be asked anything else. */
export function scriptedCaller (script: Readonly<Record<string, unknown>> = {}): Asking & { readonly asked: ReadonlyMap<string, Question> } {
  const answers = new Map<string, unknown>()
  const asked = new Map<string, Question>()
  let rounds = 0
  const asking = createAsking({
    answers,
    get rounds () { return rounds },
    canBeAsked: (key) => Object.hasOwn(script, wordOf(key)),
    async ask (open) {
      rounds += 1
      for (const [key, question] of open) {
        asked.set(wordOf(key), question)
        answers.set(key, script[wordOf(key)])
      }
    },
    cannotBeAsked: () => new Error('the test gave no answer to that')
  })
  return { ...asking, asked }
}

function wordOf (key: string): string {
  return key.split(' ')[0] ?? key
}
