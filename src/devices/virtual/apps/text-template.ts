import { cut } from '../../../text/quote.ts'
import { displayText, longestText, type JsonObject, type JsonValue } from './json-value.ts'
import { isSpent, spend } from './work-budget.ts'
import { joinCost, parseExpression, type Expression, type ParsedExpression } from './expression.ts'

/**
 * Parses a text with `${expression}` parts. A text that is one such part and nothing else has
 * the value of the expression, a list for example; any other is a text. `$${` stands for a
 * literal `${`.
 */
export function parseTemplate (source: string): ParsedExpression {
  const parts: Array<string | Expression> = []
  let literal = ''
  let at = 0
  while (at < source.length) {
    if (source.startsWith('$${', at)) {
      literal += '${'
      at += 3
    } else if (source.startsWith('${', at)) {
      const end = endOfPart(source, at + 2)
      if (end === undefined) return { ok: false, problem: `"\${" is never closed in "${cut(source, 100)}"` }
      const parsed = parseExpression(source.slice(at + 2, end))
      if (!parsed.ok) return parsed
      if (literal !== '') parts.push(literal)
      parts.push(parsed.expression)
      literal = ''
      at = end + 1
    } else {
      literal += source.charAt(at)
      at += 1
    }
  }
  if (literal !== '') parts.push(literal)
  return { ok: true, expression: inLanguageOfPhone(source, joinParts(parts)) }
}

/** The template, or what the app says in its place in the language of the phone. */
function inLanguageOfPhone (source: string, { names, evaluate }: Expression): Expression {
  // A translation may be a key itself; it is not translated again.
  return { names, evaluate: (scope) => scope.words?.get(source)?.evaluate({ ...scope, words: undefined }) ?? evaluate(scope) }
}

/** Parses any JSON value whose texts are templates. */
export function parseValueTemplate (source: JsonValue): ParsedExpression {
  if (typeof source === 'string') return parseTemplate(source)
  if (source === null || typeof source !== 'object') return { ok: true, expression: { names: [], evaluate: () => source } }

  const members: Array<readonly [string, Expression]> = []
  for (const [key, member] of Object.entries(source)) {
    const parsed = parseValueTemplate(member)
    if (!parsed.ok) return parsed
    members.push([key, parsed.expression])
  }
  const names = [...new Set(members.flatMap(([, member]) => member.names))]
  const evaluate: Expression['evaluate'] = Array.isArray(source)
    ? (scope) => members.map(([, member]) => member.evaluate(scope))
    : (scope) => Object.fromEntries(members.map(([key, member]) => [key, member.evaluate(scope)])) satisfies JsonObject
  return { ok: true, expression: { names, evaluate } }
}

function joinParts (parts: ReadonlyArray<string | Expression>): Expression {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return only
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.names))
  return {
    names: [...new Set(names)],
    evaluate (scope) {
      let text = ''
      for (const part of parts) {
        // A little more than what can be shown or stored, which tells that it was cut.
        if (text.length > longestText || isSpent()) break
        text += typeof part === 'string' ? part : displayText(part.evaluate(scope))
      }
      return spend(text.length * joinCost) && text.length <= longestText ? text : text.slice(0, longestText + 1)
    }
  }
}

// A closing brace inside a quoted text does not end the part.
function endOfPart (source: string, from: number): number | undefined {
  let quote = ''
  for (let at = from; at < source.length; at += 1) {
    const character = source.charAt(at)
    if (quote === '') {
      if (character === '}') return at
      if (character === '\'' || character === '"') quote = character
    } else if (character === quote) quote = ''
  }
  return undefined
}
