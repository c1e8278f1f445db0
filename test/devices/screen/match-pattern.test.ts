import t from 'tap'
import { matchPattern } from '../../../src/devices/screen/match-pattern.ts'

t.test('a pattern is searched in any text of a group, case ignored', (t) => {
  t.same([...matchPattern('^total: \\d+$', [['Total: 12'], ['x', 'total: 3'], ['Total: none'], []])], [0, 1])
  t.end()
})

t.test('what is no regular expression is refused', (t) => {
  t.throws(() => matchPattern('(', [['a']]), { code: 'invalid_pattern', retryable: false, message: /not a regular expression/ })
  t.end()
})

/** Texts that no search reads without failing. */
const unreadable: readonly string[][] = [new Proxy<string[]>([], { get () { throw new Error('it was searched') } })]

t.test('a pattern that would run for ever is stopped and refused', async (t) => {
  const text = `${'a'.repeat(60)}!`

  for (const pattern of ['(a+)+$', '(a|a)*$', '^(?:.*?a){40}b$']) {
    t.throws(() => matchPattern(pattern, [[text]]), { code: 'invalid_pattern', message: /too long/, retryable: false }, pattern)
    t.throws(() => matchPattern(pattern, unreadable), { message: /too long/ }, 'and is not searched for again')
    // Searches of one turn of the loop share what time there is.
    await new Promise(setImmediate)
  }
  t.same([...matchPattern('a+', [[text]])], [0], 'and the next one works')
})

t.test('patterns and texts are data: nothing in them runs', (t) => {
  t.same([...matchPattern("';throw 1;'", [["';throw 1;'"]])], [0])
  t.same([...matchPattern('constructor', [['texts.constructor'], ['"]}]))//']])], [0])
  t.end()
})

/** Texts that keep a search waiting, as a busy machine does: time passes, and no processor is used. */
function starving (texts: readonly string[], { times }: { readonly times: number }): readonly string[] {
  let left = times
  return new Proxy(texts, {
    get (target, member, receiver) {
      if (member === 'some' && left-- > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000)
      return Reflect.get(target, member, receiver)
    }
  })
}

t.test('a search that had to wait for the processor is made again', (t) => {
  t.same([...matchPattern('total', [starving(['Total: 12'], { times: 1 })])], [0])
  t.end()
})

t.test('a pattern is not blamed for a machine that stays busy', async (t) => {
  await new Promise(setImmediate)
  t.throws(() => matchPattern('total', [starving(['Total: 12'], { times: 20 })]), {
    code: 'invalid_pattern', retryable: true, retryAfterMs: Number, message: /busy/, nextAction: /repeat/
  })
})

t.test('several slow patterns in one turn of the loop hold it no longer than one', async (t) => {
  await new Promise(setImmediate)
  const problems: string[] = []

  for (let again = 0; again < 40; again += 1) {
    try {
      matchPattern(`(a|a)*[ab]*\\w+\\d|(?:.*?a){20}x{${again}}`, [['a'.repeat(329) + '!']])
    } catch (refusal) {
      problems.push((refusal as Error).message)
    }
  }

  t.equal(problems.length, 40)
  // One that is searched for until it is known to be slow takes more than half of what a turn has.
  t.ok(problems.filter((problem) => /too long/.test(problem)).length <= 3, 'the rest is not searched for in this turn')
  t.ok(problems.slice(10).every((problem) => /too busy/.test(problem)))
})
