/**
 * Form elicitation (ELIC-01, ELIC-02): a flat form of primitive fields that the user fills in.
 *
 * A form's fields are written once, as they go over the wire; the check of the answer and the
 * type of what the asker gets come from them. Members that no field asks for are dropped.
 *
 * A form never asks for anything secret (ELIC-05): it is shown, logged and kept by whatever
 * stands between server and user. `urlQuestion` is for that.
 */
import { z } from 'zod'
import type { JsonObject } from './message.ts'
import { refusedAnswer, type Question, type Refused } from './question.ts'

interface Labels {
  readonly title?: string
  readonly description?: string
}

/** A choice with a title for people. */
export interface Choice {
  readonly const: string
  readonly title: string
}

export interface TextField extends Labels {
  readonly type: 'string'
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: 'email' | 'uri' | 'date' | 'date-time'
  readonly default?: string
}

export interface NumberField extends Labels {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

export interface SwitchField extends Labels {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** One of several; `enumNames` is how revisions before 2025-11-25 gave choices a title. */
export type ChoiceField = Labels & { readonly type: 'string', readonly default?: string } & (
  | { readonly enum: readonly string[], readonly enumNames?: readonly string[] }
  | { readonly oneOf: readonly Choice[] }
)

export interface ChoicesField extends Labels {
  readonly type: 'array'
  readonly items: { readonly type: 'string', readonly enum: readonly string[] } | { readonly anyOf: readonly Choice[] }
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: readonly string[]
}

export type FormField = TextField | NumberField | SwitchField | ChoiceField | ChoicesField
export type FormFields = Readonly<Record<string, FormField>>

type FieldValue<Field extends FormField> =
  Field extends SwitchField ? boolean
    : Field extends NumberField ? number
      : Field extends ChoicesField ? readonly string[]
        : string

export type FormValues<Fields extends FormFields, Required extends keyof Fields> =
  & { readonly [Name in Required]: FieldValue<Fields[Name]> }
  & { readonly [Name in Exclude<keyof Fields, Required>]?: FieldValue<Fields[Name]> | undefined }

export interface FilledIn<Values> {
  readonly action: 'accept'
  readonly content: Values
}

/**
 * Asks the user to fill in a form.
 *
 * @throws {TypeError} a field asks for something secret
 */
export function formQuestion<const Fields extends FormFields, const Required extends keyof Fields & string = never> (
  { message, fields, required = [] }: { readonly message: string, readonly fields: Fields, readonly required?: readonly Required[] }
): Question<FilledIn<FormValues<Fields, Required>> | Refused> {
  for (const [name, { title = '' }] of Object.entries(fields)) {
    if (secret.test(name) || secret.test(title)) throw new TypeError(`a form does not ask for secrets such as ${name}; ask with a URL`)
  }
  const values = z.object(Object.fromEntries(Object.entries(fields).map(([name, field]) => {
    const value = fieldValue(field)
    return [name, required.some((one) => one === name) ? value : value.optional()]
  })))
  const answer = z.union([
    z.object({ action: z.literal('accept'), content: values.prefault({}) }),
    refusedAnswer
  ])
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: { type: 'object', properties: fields, ...(required.length === 0 ? {} : { required }) } },
    needs: { elicitation: { form: {} } },
    // The schema is made of the fields that the type is computed from.
    answer: answer as unknown as z.ZodType<FilledIn<FormValues<Fields, Required>> | Refused>
  }
}

const secret = /passw|passphrase|secret|api[ _-]?key|(?:access|auth|bearer)[ _-]?token|credential|credit[ _-]?card|card[ _-]?number|\bcv[cv]\b/i

function fieldValue (field: FormField): z.ZodType {
  switch (field.type) {
    case 'boolean': return z.boolean()
    case 'number': return within(z.number(), field)
    case 'integer': return within(z.int(), field)
    case 'array': {
      const choice = z.literal(choicesOf('enum' in field.items ? field.items.enum : field.items.anyOf))
      return z.array(choice).min(field.minItems ?? 0).max(field.maxItems ?? Infinity)
    }
    case 'string': {
      if ('enum' in field) return z.literal(choicesOf(field.enum))
      if ('oneOf' in field) return z.literal(choicesOf(field.oneOf))
      return text(field)
    }
  }
}

function within (schema: z.ZodNumber, { minimum = -Infinity, maximum = Infinity }: NumberField): z.ZodType {
  return schema.min(minimum).max(maximum)
}

function choicesOf (choices: readonly (string | Choice)[]): string[] {
  return choices.map((choice) => typeof choice === 'string' ? choice : choice.const)
}

const formats = { email: z.email(), uri: z.url(), date: z.iso.date(), 'date-time': z.iso.datetime({ offset: true }) }

function text ({ minLength = 0, maxLength = Infinity, format }: TextField): z.ZodType {
  const plain = z.string().min(minLength).max(maxLength)
  return format === undefined ? plain : plain.and(formats[format])
}

/** The form a question asks to fill in; undefined for any other question. */
export function formOf ({ method, params }: Question): { readonly schema: JsonObject, readonly fields: FormFields } | undefined {
  if (method !== 'elicitation/create' || params?.['mode'] !== 'form') return undefined
  const schema = params['requestedSchema'] as JsonObject & { readonly properties: FormFields }
  return { schema, fields: schema.properties }
}
