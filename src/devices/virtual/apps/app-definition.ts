/**
 * An app of the virtual phone, as a data file describes it: screens made of nodes, variables,
 * and actions from a closed list. The schema is closed too: a misspelt key is an error.
 *
 * Variables come in two kinds. `data` outlives the app's process and goes when the app's data
 * is cleared, as a saved note does; `state` begins anew with each process, as a half-typed
 * field does.
 */
import { z } from 'zod'
import { cut } from '../../../text/quote.ts'
import { actionsSchema, type Action } from './app-action.ts'
import { nodesSchema, type AppNode } from './app-node.ts'
import { appIdSchema, expressionSchema, nameSchema, nodeIdSchema, templateSchema } from './app-values.ts'
import type { Expression } from './expression.ts'
import { parseLinkPattern, type LinkPattern } from './link-pattern.ts'
import type { JsonObject } from './json-value.ts'

export interface BarButton {
  readonly id?: string | undefined
  readonly icon: Expression
  readonly desc?: Expression | undefined
  readonly visibleIf?: Expression | undefined
  readonly tap: readonly Action[]
}

export interface ScreenDefinition {
  readonly title: Expression
  /** Buttons at the far end of the top bar. */
  readonly bar: readonly BarButton[]
  /** False: the body stays where it is, and a `list` in it takes the height left over and scrolls. */
  readonly scroll: boolean
  readonly content: readonly AppNode[]
  /** Runs each time the screen is opened, but not on the way back to it. */
  readonly enter: readonly Action[]
}

export interface AppDefinition {
  readonly id: string
  readonly name: string
  readonly version: string
  /** One emoji or letter, for the home screen. */
  readonly icon: string
  /** Background of the icon, `#rrggbb`. */
  readonly color: `#${string}`
  /** Part of the phone rather than installed later. */
  readonly system: boolean
  /** What it can ask to be allowed, e.g. `camera`. */
  readonly permissions: readonly string[]
  readonly data: JsonObject
  readonly state: JsonObject
  readonly firstScreen: string
  /** Runs when a process of the app begins. */
  readonly start: readonly Action[]
  /** Runs when the same app on another phone has sent a `message`; `from` is the number of that phone. */
  readonly receive: readonly Action[]
  /** Links the app claims; their captures are names that the actions can use. */
  readonly links: ReadonlyArray<{ readonly pattern: LinkPattern, readonly open: readonly Action[] }>
  readonly screens: ReadonlyMap<string, ScreenDefinition>
  /** What its texts are in other languages (`de`), by the texts of the file. */
  readonly words: ReadonlyMap<string, ReadonlyMap<string, Expression>>
}

const mostLanguages = 20
const wordsSchema = z.record(
  z.string().regex(/^[a-z]{2,3}$/, 'a language looks like de'),
  z.record(z.string().max(500), templateSchema).transform((texts) => new Map(Object.entries(texts)))
).refine((languages) => Object.keys(languages).length <= mostLanguages, { error: `${mostLanguages} languages at most` })
  .default({}).transform((languages) => new Map(Object.entries(languages)))

const variablesSchema = z.record(nameSchema, z.json()).default({})

const linkPatternSchema = z.string().transform((source, context): LinkPattern => {
  const pattern = parseLinkPattern(source)
  if (pattern !== undefined) return pattern
  context.addIssue(`"${cut(source, 60)}" is no link pattern like shop://product/{id}`)
  return z.NEVER
})

const screenSchema = z.strictObject({
  title: templateSchema,
  bar: z.array(z.strictObject({
    id: nodeIdSchema.optional(),
    icon: templateSchema,
    desc: templateSchema.optional(),
    visibleIf: expressionSchema.optional(),
    tap: actionsSchema
  })).max(3).default([]),
  scroll: z.boolean().default(true),
  content: nodesSchema,
  enter: actionsSchema.default([])
})

export const appSchema = z.strictObject({
  id: appIdSchema,
  name: z.string().min(1).max(40),
  version: z.string().min(1).max(20),
  icon: z.string().min(1).max(16),
  color: z.templateLiteral(['#', z.string().regex(/^[0-9a-fA-F]{6}$/)], { error: 'a colour looks like #4355b9' }),
  system: z.boolean().default(false),
  permissions: z.array(nameSchema).max(20).default([]),
  data: variablesSchema,
  state: variablesSchema,
  firstScreen: nameSchema,
  start: actionsSchema.default([]),
  receive: actionsSchema.default([]),
  links: z.array(z.strictObject({ pattern: linkPatternSchema, open: actionsSchema })).max(20).default([]),
  words: wordsSchema,
  screens: z.record(nameSchema, screenSchema).transform((screens) => new Map(Object.entries(screens)))
}) satisfies z.ZodType<AppDefinition>
