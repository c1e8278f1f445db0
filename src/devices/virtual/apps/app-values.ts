import { z } from 'zod'
import { cut } from '../../../text/quote.ts'
import { parseExpression, type Expression, type ParsedExpression } from './expression.ts'
import { parsePath, type Path } from './scope.ts'
import { parseTemplate, parseValueTemplate } from './text-template.ts'

/** Names of screens, variables and loop variables: `noteTitle`. */
export const nameSchema = z.string().max(60).regex(/^[a-z][A-Za-z0-9]*$/, 'a name starts with a small letter and has only letters and digits')

/** Ids of nodes, as they show in the UI tree: `sign_in_button`. */
export const nodeIdSchema = z.string().max(60).regex(/^[a-z][a-z0-9_]*$/, 'an id starts with a small letter and has only small letters, digits and "_"')

/** Ids of apps: `com.example.shop`. */
export const appIdSchema = z.string().max(100).regex(/^[a-z][a-z0-9]*(\.[a-z][a-z0-9]*)+$/, 'an app id looks like com.example.shop')

export const pathSchema = z.string().transform((source, context): Path => {
  const path = parsePath(source)
  if (path !== undefined) return path
  context.addIssue(`"${cut(source, 60)}" is no path like profile.name`)
  return z.NEVER
})

export const expressionSchema = z.string().transform((source, context) => accept(parseExpression(source), context))

/** A text with `${expression}` parts. */
export const templateSchema = z.string().transform((source, context) => accept(parseTemplate(source), context))

/** Any JSON value whose texts are templates. */
export const valueSchema = z.json().transform((source, context) => accept(parseValueTemplate(source), context))

/** A variable and the value it gets. */
export interface Assignment {
  readonly path: Path
  readonly value: Expression
}

/** Several variables and the values they get: `{ email: '', visits: '${visits + 1}' }`. */
export const assignmentsSchema = z.record(z.string(), valueSchema).transform((members, context): readonly Assignment[] =>
  Object.entries(members).flatMap(([source, value]) => {
    const path = parsePath(source)
    if (path !== undefined) return [{ path, value }]
    context.addIssue(`"${cut(source, 60)}" is no path like profile.name`)
    return []
  }))

function accept (parsed: ParsedExpression, context: z.RefinementCtx): Expression {
  if (parsed.ok) return parsed.expression
  context.addIssue(parsed.problem)
  return z.NEVER
}
