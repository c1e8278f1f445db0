/**
 * The expression language of app files: comparisons, `and` / `or` / `not`, `+ - *`, member
 * access, literals and a closed list of functions. It is parsed once, when the file is loaded,
 * into closures; nothing is ever handed to the JavaScript engine as code, and only own
 * members of plain JSON can be read. A missing name or member is `null`.
 *
 *     or      = and { 'or' and }
 *     and     = not { 'and' not }
 *     not     = 'not' not | compare
 *     compare = sum [ ('==' | '!=' | '<' | '<=' | '>' | '>=') sum ]
 *     sum     = product { ('+' | '-') product }
 *     product = operand { '*' operand }
 *     operand = number | string | true | false | null | '(' or ')'
 *             | name '(' [ or { ',' or } ] ')' | name { '.' name }
 */
import { cut } from '../../../text/quote.ts'
import { displayText, isTruthy, longestText, type JsonValue } from './json-value.ts'
import { lookUp, memberOf, type Scope } from './scope.ts'
import { spend } from './work-budget.ts'

export interface Expression {
  /** The names it looks up in the scope, so that a loader can tell a misspelt one. */
  readonly names: readonly string[]
  readonly evaluate: (scope: Scope) => JsonValue
}

export type ParsedExpression =
  | { readonly ok: true, readonly expression: Expression }
  | { readonly ok: false, readonly problem: string }

type Evaluate = Expression['evaluate']

const longestExpression = 500
const deepestExpression = 32
const stepCost = 10
/** To put texts together is cheap; to read them through is not. */
export const joinCost = 1 / 8
const token = /\s*(?:(\d+(?:\.\d+)?)|'([^']*)'|"([^"]*)"|([A-Za-z][A-Za-z0-9]*)|(==|!=|<=|>=|[<>+\-*().,]))/y

const functions = new Map<string, { readonly arity: number, readonly apply: (...args: readonly JsonValue[]) => JsonValue }>([
  ['length', { arity: 1, apply: (value = null) => (typeof value === 'string' || Array.isArray(value) ? value.length : 0) }],
  ['contains', { arity: 2, apply: (whole = null, part = null) => containsValue(whole, part) }],
  ['matches', { arity: 2, apply: (whole = null, part = null) => folded(whole).includes(folded(part)) }],
  ['countMatches', { arity: 3, apply: (list = null, name = null, part = null) => countMatches(list, displayText(name), part) }],
  ['countEqual', { arity: 3, apply: (list = null, name = null, value = null) => countEqual(list, displayText(name), value) }],
  ['choose', { arity: 3, apply: (claim = null, yes = null, no = null) => (isTruthy(claim) ? yes : no) }],
  ['sum', { arity: 2, apply: (list = null, name = null) => sumOf(list, displayText(name)) }],
  ['without', { arity: 2, apply: (list = null, index = null) => (Array.isArray(list) ? list.filter((_, at) => at !== index) : []) }],
  ['trim', { arity: 1, apply: (value = null) => displayText(value).trim() }],
  ['money', { arity: 1, apply: (cents = null) => (numberOf(cents) / 100).toFixed(2) }]
])

class SyntaxProblem extends Error {}

/** Parses an expression of an app file. */
export function parseExpression (source: string): ParsedExpression {
  if (source.length > longestExpression) return { ok: false, problem: `longer than ${longestExpression} characters` }
  try {
    return { ok: true, expression: new ExpressionParser(source).parse() }
  } catch (error) {
    if (error instanceof SyntaxProblem) return { ok: false, problem: `${cut(error.message, 200)} in "${source}"` }
    throw error
  }
}

interface Token { readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end', readonly value: string }

class ExpressionParser {
  readonly #tokens: Token[]
  readonly #names = new Set<string>()
  #at = 0
  #depth = 0

  constructor (source: string) {
    this.#tokens = tokenize(source)
  }

  parse (): Expression {
    const evaluate = this.#or()
    if (this.#peek().kind !== 'end') throw new SyntaxProblem(`unexpected "${this.#peek().value}"`)
    const cost = stepCost * this.#tokens.length
    return { names: [...this.#names], evaluate: (scope) => spend(cost) ? evaluate(scope) : null }
  }

  #or (): Evaluate {
    this.#depth += 1
    if (this.#depth > deepestExpression) throw new SyntaxProblem('nested too deeply')
    let left = this.#and()
    while (this.#takeName('or')) {
      const [before, after] = [left, this.#and()]
      left = (scope) => isTruthy(before(scope)) || isTruthy(after(scope))
    }
    this.#depth -= 1
    return left
  }

  #and (): Evaluate {
    let left = this.#not()
    while (this.#takeName('and')) {
      const [before, after] = [left, this.#not()]
      left = (scope) => isTruthy(before(scope)) && isTruthy(after(scope))
    }
    return left
  }

  #not (): Evaluate {
    let negations = 0
    while (this.#takeName('not')) negations += 1
    const claim = this.#compare()
    if (negations === 0) return claim
    return (scope) => isTruthy(claim(scope)) === (negations % 2 === 0)
  }

  #compare (): Evaluate {
    const left = this.#sum()
    const sign = this.#takeSign('==', '!=', '<=', '>=', '<', '>')
    if (sign === undefined) return left
    const right = this.#sum()
    return (scope) => compareValues(sign, left(scope), right(scope))
  }

  #sum (): Evaluate {
    let left = this.#product()
    for (let sign = this.#takeSign('+', '-'); sign !== undefined; sign = this.#takeSign('+', '-')) {
      const [before, after] = [left, this.#product()]
      left = sign === '+'
        ? (scope) => addValues(before(scope), after(scope))
        : (scope) => numberOf(before(scope)) - numberOf(after(scope))
    }
    return left
  }

  #product (): Evaluate {
    let left = this.#operand()
    while (this.#takeSign('*') !== undefined) {
      const [before, after] = [left, this.#operand()]
      left = (scope) => numberOf(before(scope)) * numberOf(after(scope))
    }
    return left
  }

  #operand (): Evaluate {
    const { kind, value } = this.#next()
    if (kind === 'number') return () => Number(value)
    if (kind === 'text') return () => value
    if (kind === 'name') return this.#named(value)
    if (kind !== 'sign' || value !== '(') throw new SyntaxProblem(kind === 'end' ? 'something is missing at the end' : `unexpected "${value}"`)
    const inner = this.#or()
    this.#expectSign(')')
    return inner
  }

  #named (name: string): Evaluate {
    if (name === 'true' || name === 'false') return () => name === 'true'
    if (name === 'null') return () => null
    if (this.#takeSign('(') !== undefined) return this.#call(name)
    this.#names.add(name)
    let read: Evaluate = (scope) => lookUp(scope, name)
    while (this.#takeSign('.') !== undefined) {
      const [before, member] = [read, this.#next()]
      if (member.kind !== 'name') throw new SyntaxProblem('a name has to follow "."')
      read = (scope) => memberOf(before(scope), member.value)
    }
    return read
  }

  #call (name: string): Evaluate {
    const called = functions.get(name)
    if (called === undefined) throw new SyntaxProblem(`no function "${name}" (functions: ${[...functions.keys()].join(', ')})`)
    const args = [this.#or()]
    while (this.#takeSign(',') !== undefined) args.push(this.#or())
    this.#expectSign(')')
    if (args.length !== called.arity) throw new SyntaxProblem(`${name} takes ${called.arity} argument${called.arity === 1 ? '' : 's'}`)
    return (scope) => {
      const values = args.map((arg) => arg(scope))
      return spend(values.reduce<number>((cost, value) => cost + sizeOf(value), 0)) ? called.apply(...values) : null
    }
  }

  #peek (): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', value: 'the end' }
  }

  #next (): Token {
    const next = this.#peek()
    this.#at += 1
    return next
  }

  #takeName (name: string): boolean {
    const { kind, value } = this.#peek()
    if (kind !== 'name' || value !== name) return false
    this.#at += 1
    return true
  }

  #takeSign (...signs: readonly string[]): string | undefined {
    const { kind, value } = this.#peek()
    if (kind !== 'sign' || !signs.includes(value)) return undefined
    this.#at += 1
    return value
  }

  #expectSign (sign: string): void {
    if (this.#takeSign(sign) === undefined) throw new SyntaxProblem(`"${sign}" expected before "${this.#peek().value}"`)
  }
}

function tokenize (source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (source.slice(at).trim() !== '') {
    token.lastIndex = at
    const match = token.exec(source)
    if (match === null) throw new SyntaxProblem(`unexpected "${source.slice(at).trim().charAt(0)}"`)
    const [, number, single, double, name, sign] = match
    if (number !== undefined) tokens.push({ kind: 'number', value: number })
    else if (name !== undefined) tokens.push({ kind: 'name', value: name })
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign })
    else tokens.push({ kind: 'text', value: single ?? double ?? '' })
    at = token.lastIndex
  }
  return tokens
}

function sizeOf (value: JsonValue): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 1
}

function compareValues (sign: string, left: JsonValue, right: JsonValue): boolean {
  if (!spend(Math.min(sizeOf(left), sizeOf(right)))) return false
  if (sign === '==') return left === right
  if (sign === '!=') return left !== right
  const comparable = (typeof left === 'number' && typeof right === 'number') ||
    (typeof left === 'string' && typeof right === 'string')
  if (!comparable) return false
  if (sign === '<') return left < right
  if (sign === '<=') return left <= right
  if (sign === '>') return left > right
  return left >= right
}

function addValues (left: JsonValue, right: JsonValue): JsonValue {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  const text = displayText(left) + displayText(right)
  // A little more than what can be shown or stored, which tells that it was cut.
  return spend(text.length * joinCost) && text.length <= longestText ? text : text.slice(0, longestText + 1)
}

function numberOf (value: JsonValue): number {
  return typeof value === 'number' ? value : 0
}

function folded (value: JsonValue): string {
  return displayText(value).trim().toLowerCase()
}

function containsValue (whole: JsonValue, part: JsonValue): boolean {
  if (!Array.isArray(whole)) return displayText(whole).includes(displayText(part))
  return spend(whole.length * sizeOf(part)) && whole.includes(part)
}

function sumOf (list: JsonValue, name: string): number {
  return Array.isArray(list) ? list.reduce<number>((sum, item) => sum + numberOf(memberOf(item, name)), 0) : 0
}

function countMatches (list: JsonValue, name: string, part: JsonValue): number {
  if (!Array.isArray(list)) return 0
  const wanted = folded(part)
  return list.filter((item) => {
    const value = memberOf(item, name)
    return spend(stepCost + sizeOf(value)) && folded(value).includes(wanted)
  }).length
}

function countEqual (list: JsonValue, name: string, value: JsonValue): number {
  return Array.isArray(list) ? list.filter((item) => spend(stepCost + sizeOf(value)) && memberOf(item, name) === value).length : 0
}
