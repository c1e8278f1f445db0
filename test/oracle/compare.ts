import { isDeepStrictEqual } from 'node:util'
import type { Answer } from './answer.ts'
import type { Call } from './calls.ts'
import { differences, type Difference } from './differences.ts'

export type Verdict =
  | { readonly ok: true, readonly used: readonly Difference[] }
  /** `expected` is what the SDK's answer should look like from us. */
  | { readonly ok: false, readonly expected: Answer }

/** Whether two answers to one call are equal, but for reasoned differences. */
export function compare (call: Call, ours: Answer, theirs: Answer): Verdict {
  if (isDeepStrictEqual(ours, theirs)) return { ok: true, used: [] }
  const used: Difference[] = []
  let expected = theirs
  for (const difference of differences) {
    if (!('adapt' in difference)) continue
    const adapted = difference.adapt(expected, call)
    if (!isDeepStrictEqual(adapted, expected)) used.push(difference)
    expected = adapted
  }
  if (isDeepStrictEqual(ours, expected)) return { ok: true, used }
  const covering = differences.find((difference) => 'covers' in difference && difference.covers({ call, ours, theirs: expected }))
  return covering === undefined ? { ok: false, expected } : { ok: true, used: [...used, covering] }
}
