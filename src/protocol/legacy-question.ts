/**
 * Questions in the shapes of the 2025 revisions (LEGACY-12, LEGACY-14), where they are requests
 * of the server to the client.
 *
 * Elicitation came with 2025-06-18; URLs, several choices at once, and sampling with tools or
 * several blocks in a message with 2025-11-25.
 */
import { formOf, type FormField } from './form-question.ts'
import { isObject, type JsonObject } from './message.ts'
import type { Question } from './question.ts'
import type { LegacyVersion } from './versions.ts'

/**
 * The `params` of the request, `{}` where it has none.
 *
 * @returns undefined when a client of that revision cannot be asked this
 */
export function legacyQuestionParams (question: Question, version: LegacyVersion, elicitationId: string): JsonObject | undefined {
  const { method, params = {} } = question
  switch (method) {
    case 'roots/list': return params
    case 'sampling/createMessage': return version === '2025-11-25' || isPlainSampling(question) ? params : undefined
    case 'elicitation/create': {
      if (version === '2025-03-26') return undefined
      if (version === '2025-06-18') return oldForm(question)
      // Only that revision tells URL elicitations apart by an id.
      return params['mode'] === 'url' ? { ...params, elicitationId } : params
    }
  }
}

/** What a client of that revision may be asked at most, in the shape of ClientCapabilities; whether it answers shows when it is. */
export function legacyAskable (version: LegacyVersion): JsonObject {
  switch (version) {
    case '2025-11-25': return { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }
    case '2025-06-18': return { elicitation: { form: {} }, sampling: { context: {} }, roots: {} }
    case '2025-03-26': return { sampling: { context: {} }, roots: {} }
  }
}

function isPlainSampling ({ params = {}, needs }: Question): boolean {
  const messages = Array.isArray(params['messages']) ? params['messages'] : []
  const usesTools = isObject(needs['sampling']) && 'tools' in needs['sampling']
  return !usesTools && messages.every((message: unknown) => isObject(message) && !Array.isArray(message['content']))
}

function oldForm (question: Question): JsonObject | undefined {
  const form = formOf(question)
  if (form === undefined || Object.values(form.fields).some(({ type }) => type === 'array')) return undefined
  const properties = Object.fromEntries(Object.entries(form.fields).map(([name, field]) => [name, oldField(field)]))
  return { message: question.params?.['message'], requestedSchema: { ...form.schema, properties } }
}

function oldField (field: FormField): JsonObject {
  if (!('oneOf' in field)) return { ...field }
  const { oneOf, ...rest } = field
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map(({ title }) => title) }
}
