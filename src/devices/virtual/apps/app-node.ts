import { z } from 'zod'
import { actionsSchema, type Action } from './app-action.ts'
import { expressionSchema, nameSchema, nodeIdSchema, pathSchema, templateSchema } from './app-values.ts'
import type { Expression } from './expression.ts'
import type { Path } from './scope.ts'

export const textStyles = ['title', 'heading', 'body', 'caption', 'error'] as const
export type TextStyle = (typeof textStyles)[number]

export const buttonStyles = ['filled', 'outlined', 'plain', 'danger'] as const
export type ButtonStyle = (typeof buttonStyles)[number]

interface NodeBasics {
  /** Shows as the element's id in the UI tree. */
  readonly id?: string | undefined
  readonly visibleIf?: Expression | undefined
  readonly enabledIf?: Expression | undefined
  /** Repeats the node for each item of a list, or that many times for a number. */
  readonly repeat?: { readonly in: Expression, readonly as: string } | undefined
}

interface Touchable {
  readonly tap?: readonly Action[] | undefined
  readonly longPress?: readonly Action[] | undefined
}

interface Described {
  /** What a screen reader says. */
  readonly desc?: Expression | undefined
}

interface Labelled {
  readonly text: Expression
  readonly detail?: Expression | undefined
}

export interface ColumnNode extends NodeBasics, Touchable, Described {
  readonly role: 'column'
  readonly content: readonly AppNode[]
  /** Draws a raised surface behind the column. */
  readonly card: boolean
  readonly gap?: number | undefined
  readonly padding: number
}
export interface RowNode extends NodeBasics, Touchable, Described {
  readonly role: 'row'
  readonly content: readonly AppNode[]
}
export interface TextNode extends NodeBasics {
  readonly role: 'text'
  readonly text: Expression
  readonly style: TextStyle
}
export interface ButtonNode extends NodeBasics, Touchable, Described {
  readonly role: 'button'
  readonly text?: Expression | undefined
  readonly icon?: Expression | undefined
  readonly style: ButtonStyle
}
export interface FieldNode extends NodeBasics, Described {
  readonly role: 'field'
  /** The variable that holds the text. */
  readonly bind: Path
  readonly label?: Expression | undefined
  readonly hint?: Expression | undefined
  readonly password: boolean
  readonly multiline: boolean
  readonly maxLength: number
  /** What enter does in a field of one line. */
  readonly submit?: readonly Action[] | undefined
}
export interface SwitchNode extends NodeBasics, Labelled {
  readonly role: 'switch' | 'checkbox'
  readonly bind: Path
  readonly icon?: Expression | undefined
  /** Runs after the value has changed. */
  readonly tap?: readonly Action[] | undefined
}
export interface ListNode extends NodeBasics {
  readonly role: 'list'
  readonly content: readonly AppNode[]
}
export interface ItemNode extends NodeBasics, Touchable, Described, Labelled {
  readonly role: 'item'
  readonly icon?: Expression | undefined
  /** Short text at the far end. */
  readonly trailing?: Expression | undefined
}
export interface ImageNode extends NodeBasics, Touchable, Described {
  readonly role: 'image'
  readonly icon: Expression
  readonly height: number
}
export interface TabsNode extends NodeBasics {
  readonly role: 'tabs'
  readonly bind: Path
  readonly options: ReadonlyArray<{ readonly value: string, readonly text: Expression }>
}
export interface DialogNode {
  readonly role: 'dialog'
  readonly id: string
  readonly title: Expression
  readonly content: readonly AppNode[]
  /** Each closes the dialog, then runs its actions. */
  readonly buttons: ReadonlyArray<{ readonly id?: string | undefined, readonly text: Expression, readonly style: ButtonStyle, readonly tap: readonly Action[] }>
}
export interface WebviewNode extends NodeBasics {
  readonly role: 'webview'
  readonly url: Expression
  readonly title: Expression
  readonly text: Expression
}

/** A node that has its place in the flow of a screen. */
export type FlowNode =
  | ColumnNode | RowNode | TextNode | ButtonNode | FieldNode | SwitchNode | ListNode | ItemNode | ImageNode
  | TabsNode | WebviewNode

/** Dialogs stand among the nodes of a screen; they show only while they are open. */
export type AppNode = FlowNode | DialogNode

/** The nodes of a screen or container. */
export const nodesSchema: z.ZodType<readonly AppNode[]> = z.lazy(() => z.array(nodeSchema).max(200))

const basics = {
  id: nodeIdSchema.optional(),
  visibleIf: expressionSchema.optional(),
  enabledIf: expressionSchema.optional(),
  repeat: z.strictObject({
    in: z.preprocess((source) => (typeof source === 'number' ? String(source) : source), expressionSchema),
    as: nameSchema
  }).optional()
}
const touchable = { tap: actionsSchema.optional(), longPress: actionsSchema.optional() }
const described = { desc: templateSchema.optional() }
const labelled = { text: templateSchema, detail: templateSchema.optional() }
const buttonStyleSchema = z.enum(buttonStyles)

const checkable = { ...basics, ...labelled, bind: pathSchema, icon: templateSchema.optional(), tap: actionsSchema.optional() }

const nodeSchemas = [
  z.strictObject({
    role: z.literal('column'),
    ...basics,
    ...touchable,
    ...described,
    content: nodesSchema,
    card: z.boolean().default(false),
    gap: z.int().min(0).max(64).optional(),
    padding: z.int().min(0).max(64).default(0)
  }),
  z.strictObject({ role: z.literal('row'), ...basics, ...touchable, ...described, content: nodesSchema }),
  z.strictObject({ role: z.literal('text'), ...basics, text: templateSchema, style: z.enum(textStyles).default('body') }),
  z.strictObject({
    role: z.literal('button'),
    ...basics,
    ...touchable,
    ...described,
    text: templateSchema.optional(),
    icon: templateSchema.optional(),
    style: buttonStyleSchema.default('filled')
  }),
  z.strictObject({
    role: z.literal('field'),
    ...basics,
    ...described,
    bind: pathSchema,
    label: templateSchema.optional(),
    hint: templateSchema.optional(),
    password: z.boolean().default(false),
    multiline: z.boolean().default(false),
    maxLength: z.int().min(1).max(10_000).default(10_000),
    submit: actionsSchema.optional()
  }),
  z.strictObject({ role: z.literal('switch'), ...checkable }),
  z.strictObject({ role: z.literal('checkbox'), ...checkable }),
  z.strictObject({ role: z.literal('list'), ...basics, content: nodesSchema }),
  z.strictObject({
    role: z.literal('item'),
    ...basics,
    ...touchable,
    ...described,
    ...labelled,
    icon: templateSchema.optional(),
    trailing: templateSchema.optional()
  }),
  z.strictObject({
    role: z.literal('image'),
    ...basics,
    ...touchable,
    ...described,
    icon: templateSchema,
    height: z.int().min(24).max(400).default(120)
  }),
  z.strictObject({
    role: z.literal('tabs'),
    ...basics,
    bind: pathSchema,
    options: z.array(z.strictObject({ value: z.string().max(60), text: templateSchema })).min(2).max(5)
  }),
  z.strictObject({
    role: z.literal('dialog'),
    id: nodeIdSchema,
    title: templateSchema,
    content: nodesSchema.default([]),
    buttons: z.array(z.strictObject({
      id: nodeIdSchema.optional(), text: templateSchema, style: buttonStyleSchema.default('plain'), tap: actionsSchema.default([])
    })).min(1).max(3)
  }),
  z.strictObject({ role: z.literal('webview'), ...basics, url: templateSchema, title: templateSchema, text: templateSchema })
] as const

const roles = nodeSchemas.map((schema) => schema.shape.role.value).join(', ')

const nodeSchema: z.ZodType<AppNode> = z.discriminatedUnion('role', nodeSchemas, {
  error: (issue) => (issue.code === 'invalid_union' ? `role has to be one of: ${roles}` : undefined)
})
