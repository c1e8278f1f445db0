import { z } from 'zod'
import {
  appIdSchema, assignmentsSchema, expressionSchema, nameSchema, nodeIdSchema, pathSchema, templateSchema, valueSchema,
  type Assignment
} from './app-values.ts'
import type { Expression } from './expression.ts'
import type { Path } from './scope.ts'

/** Everything an app can do, with what each action takes. There is no way to add code. */
interface ActionArguments {
  /** Stores values. */
  readonly set: readonly Assignment[]
  /** Turns a true value false and the other way round. */
  readonly toggle: Path
  /** Adds to numbers. */
  readonly inc: readonly Assignment[]
  /** Appends to a list. */
  readonly push: { readonly to: Path, readonly item: Expression }
  /** Removes the items of a list for which `where`, which sees each as `item`, is true. */
  readonly removeItem: { readonly from: Path, readonly where: Expression }
  /** Runs actions for each such item; they can change it through `item`. */
  readonly forEach: { readonly in: Path, readonly where: Expression, readonly do: readonly Action[] }
  /** Opens a screen: on top, in place of the current one, or as the only one. */
  readonly goto: {
    readonly screen: string
    readonly params: Readonly<Record<string, Expression>>
    readonly placed: 'onTop' | 'replace' | 'alone'
  }
  /** Closes the current screen. */
  readonly back: true
  /** Opens a dialog of the current screen; its params join those of the screen. */
  readonly dialog: { readonly id: string, readonly params: Readonly<Record<string, Expression>> }
  /** Closes the dialog. */
  readonly dismiss: true
  /** Shows a short message for some seconds. */
  readonly toast: Expression
  /** Puts the text cursor into a field of the current screen. */
  readonly focus: string
  /** Puts a text on the clipboard. */
  readonly copy: Expression
  /** Makes the phone ask for a permission of this app, unless that is settled, and goes on with the answer. */
  readonly requestPermission: { readonly permission: string, readonly granted: readonly Action[], readonly denied: readonly Action[] }
  /** Sends a value to the same app on the phone with that number. */
  readonly send: { readonly to: Expression, readonly message: Expression, readonly sent: readonly Action[], readonly failed: readonly Action[] }
  /** Brings another app to the front. */
  readonly startApp: string
  /** Ends this app as a fault in it would. */
  readonly crash: true
  /** Runs actions later, if the app still runs then. */
  readonly delay: { readonly ms: number, readonly then: readonly Action[] }
  /** Writes a line to the phone's log. */
  readonly log: Expression
  readonly ifElse: { readonly if: Expression, readonly then: readonly Action[], readonly else: readonly Action[] }
}

export type Action = { [Kind in keyof ActionArguments]: { readonly kind: Kind, readonly with: ActionArguments[Kind] } }[keyof ActionArguments]

export const actionsSchema: z.ZodType<readonly Action[]> = z.lazy(() => z.array(actionSchema).max(50))

const paramsSchema = z.record(nameSchema, valueSchema)

const gotoSchema = z.union([
  nameSchema.transform((screen) => ({ screen, params: {}, placed: 'onTop' as const })),
  z.strictObject({
    screen: nameSchema,
    params: paramsSchema.default({}),
    placed: z.enum(['onTop', 'replace', 'alone']).default('onTop')
  })
], { error: (issue) => (issue.code === 'invalid_union' ? 'goto takes a screen, or { screen, params, placed: onTop | replace | alone }' : undefined) })

const dialogSchema = z.union([
  nodeIdSchema.transform((id) => ({ id, params: {} })),
  z.strictObject({ id: nodeIdSchema, params: paramsSchema.default({}) })
], { error: (issue) => (issue.code === 'invalid_union' ? 'dialog takes the id of a dialog, or { id, params }' : undefined) })

const argumentSchemas = {
  set: assignmentsSchema,
  toggle: pathSchema,
  inc: assignmentsSchema,
  push: z.strictObject({ to: pathSchema, item: valueSchema }),
  removeItem: z.strictObject({ from: pathSchema, where: expressionSchema }),
  forEach: z.strictObject({ in: pathSchema, where: expressionSchema, do: actionsSchema }),
  goto: gotoSchema,
  back: z.literal(true),
  dialog: dialogSchema,
  dismiss: z.literal(true),
  toast: templateSchema,
  focus: nodeIdSchema,
  copy: templateSchema,
  requestPermission: z.strictObject({ permission: nameSchema, granted: actionsSchema.default([]), denied: actionsSchema.default([]) }),
  send: z.strictObject({ to: templateSchema, message: valueSchema, sent: actionsSchema.default([]), failed: actionsSchema.default([]) }),
  startApp: appIdSchema,
  crash: z.literal(true),
  delay: z.strictObject({ ms: z.int().min(50).max(600_000), then: actionsSchema }),
  log: templateSchema,
  ifElse: z.strictObject({ if: expressionSchema, then: actionsSchema, else: actionsSchema.default([]) })
} satisfies { [Kind in keyof ActionArguments]: z.ZodType<ActionArguments[Kind]> }

const actionNames = Object.keys(argumentSchemas).join(', ')

// `- back` is short for `- back: true`.
const actionSchema: z.ZodType<Action> = z.preprocess(
  (source) => (typeof source === 'string' ? { [source]: true } : source),
  z.strictObject(argumentSchemas, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `no action "${issue.keys.join('", "')}" (actions: ${actionNames})` : undefined)
  }).partial().transform((members, context): Action => {
    const [entry, ...others] = Object.entries(members).filter(([, value]) => value !== undefined)
    if (entry === undefined || others.length > 0) {
      context.addIssue('one action to an entry: put each in a list entry of its own')
      return z.NEVER
    }
    // The strict object above has paired each key with what its action takes.
    return { kind: entry[0], with: entry[1] } as Action
  })
)
