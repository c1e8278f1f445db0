/**
 * Words that say the opposite. "Allow" is part of "Don't allow" and "Follow" of "Unfollow", so
 * what is alike letter by letter may be the one thing that must not be pressed.
 */
import { fold } from './fold.ts'

const negations: ReadonlySet<string> = new Set([
  'not', 'no', 'never', 'without', 'cannot', 'don\'t', 'dont', 'doesn\'t', 'didn\'t', 'isn\'t', 'aren\'t', 'can\'t', 'won\'t',
  'nicht', 'kein', 'keine', 'keinen', 'nie', 'ohne', 'ne', 'pas', 'non', 'jamais', 'sans', 'nunca', 'sin', 'senza', 'não', 'sem', 'niet', 'geen',
  'не', 'нет', 'без', 'ikke', 'inte', 'nie', 'nem', 'değil', 'لا', 'לא'
])
const fillers: ReadonlySet<string> = new Set(['do', 'does', 'did', 'be', 'to', 'please', 'thanks'])

const pairs = [
  ['allow', 'deny'], ['allow', 'block'], ['allow', 'forbid'], ['allow', 'reject'], ['accept', 'decline'], ['accept', 'reject'], ['agree', 'disagree'], ['approve', 'reject'],
  ['on', 'off'], ['yes', 'no'], ['ok', 'cancel'], ['confirm', 'cancel'], ['enable', 'disable'], ['enabled', 'disabled'], ['save', 'discard'], ['keep', 'delete'], ['keep', 'discard'],
  ['add', 'remove'], ['show', 'hide'], ['start', 'stop'], ['open', 'close'], ['lock', 'unlock'], ['install', 'uninstall'], ['connect', 'disconnect'],
  ['in', 'out'], ['up', 'down'], ['next', 'previous'], ['next', 'back'], ['increase', 'decrease'], ['buy', 'sell'], ['send', 'cancel'], ['undo', 'redo'],
  ['include', 'exclude'], ['all', 'none'], ['grant', 'revoke'], ['activate', 'deactivate'], ['select', 'deselect'], ['valid', 'invalid'], ['active', 'inactive'],
  ['correct', 'incorrect'], ['complete', 'incomplete'], ['possible', 'impossible'], ['visible', 'invisible']
] as const
const opposites: ReadonlySet<string> = new Set(pairs.flatMap(([one, other]) => [`${one} ${other}`, `${other} ${one}`]))

// A word of these and another one says the opposite of that one.
const reversing = ['un', 'dis', 'de', 'in', 'im', 'non']
const reversedStart = /(?:^|[^\p{L}])(?:un|dis|non-?)$/u
const afterIn = /(?:^|[^\p{L}])in$/u
// In scripts that write words together: not, not yet, do not, without.
const negatingCharacter = /[不未勿非无無没別别]$/u

/** Whether of two names one says that something is so and the other that it is not, as far as can be told. */
export function areOpposite (one: string, other: string): boolean {
  const [first, second] = [wordsOf(one), wordsOf(other)]
  if (isNegated(first) !== isNegated(second)) return true
  const onlyFirst = first.filter((word) => !second.includes(word))
  const onlySecond = second.filter((word) => !first.includes(word))
  return onlyFirst.some((word) => onlySecond.some((opponent) => areOppositeWords(word, opponent)))
}

/** Whether a name only says the opposite of the folded words found in it: "Allow" in "Don't allow", "follow" in "Unfollow". */
export function isOnlyNegated (words: string, foldedName: string): boolean {
  const start = foldedName.indexOf(words)
  const before = foldedName.slice(0, start)
  if (reversedStart.test(before) || negatingCharacter.test(before)) return true
  // Hardly any word after "in" is its opposite, as "side" is not that of "inside".
  if (afterIn.test(before) && opposites.has(`${words} in${words}`)) return true
  const [wanted, found] = [wordsOf(words), wordsOf(foldedName)]
  if (isNegated(wanted) || !isNegated(found)) return false
  return found.filter((word) => !negations.has(word) && !fillers.has(word)).join(' ') === wanted.filter((word) => !fillers.has(word)).join(' ')
}

function areOppositeWords (one: string, other: string): boolean {
  if (opposites.has(`${one} ${other}`)) return true
  return reversing.some((prefix) => one === prefix + other || other === prefix + one)
}

function isNegated (words: readonly string[]): boolean {
  return words.some((word) => negations.has(word))
}

function wordsOf (text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
}
