/**
 * Questions: what a call may ask of its caller (MRTR-02), with what the caller's client must
 * have declared (MRTR-03) and the check that an answer passes before it is used.
 *
 * This file has what all kinds share, and the two kinds that need little: URL elicitation and
 * roots. Forms and sampling have files of their own.
 */
import { z } from 'zod'
import { isObject, type JsonObject } from './message.ts'

export interface Question<Answer = unknown> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: JsonObject
  /** What a client that can be asked declares, in the shape of ClientCapabilities (CAP-01). */
  readonly needs: JsonObject
  /** What an answer must be; it comes from outside. */
  readonly answer: z.ZodType<Answer>
}

/** The user said no, or closed the question without saying anything. */
export interface Refused {
  readonly action: 'decline' | 'cancel'
}

export const refusedAnswer = z.object({ action: z.enum(['decline', 'cancel']) })

/** Agreed to open the page, which is not to have done there what it is for (ELIC-04). */
export interface Opened {
  readonly action: 'accept'
}

/**
 * Asks the user to open a page (ELIC-03): the only way to ask for anything secret.
 *
 * The server of the page makes sure that the user who opens it is the principal who was asked,
 * and learns there, not from the answer, whether it was done (ELIC-05).
 *
 * @throws {TypeError} the URL carries credentials, or is neither https nor on this machine
 */
export function urlQuestion ({ message, url }: { readonly message: string, readonly url: string }): Question<Opened | Refused> {
  const { protocol, username, password, hostname } = new URL(url)
  if (username !== '' || password !== '') throw new TypeError('a URL that a user is asked to open carries no credentials')
  if (protocol !== 'https:' && !(protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))) {
    throw new TypeError('a URL that a user is asked to open is https')
  }
  return {
    method: 'elicitation/create',
    params: { mode: 'url', message, url },
    needs: { elicitation: { url: {} } },
    answer: z.union([z.object({ action: z.literal('accept') }), refusedAnswer])
  }
}

export interface Root {
  readonly uri: string
  readonly name?: string | undefined
}

/** Asks for the folders the client works in (ROOT-01). */
export function rootsQuestion (): Question<{ readonly roots: readonly Root[] }> {
  return {
    method: 'roots/list',
    needs: { roots: {} },
    answer: z.object({ roots: z.array(z.object({ uri: z.string().startsWith('file://'), name: z.string().optional() })) })
  }
}

/**
 * Reads a question that another server asks (MRTR-02), with what it needs. Its answer is the other
 * server's to check.
 *
 * @returns undefined when it is none
 */
export function readQuestion (sent: unknown): Question | undefined {
  if (!isObject(sent)) return undefined
  const { method, params } = sent
  if (params !== undefined && !isObject(params)) return undefined
  const needs = needsOf(method, params ?? {})
  if (needs === undefined) return undefined
  // `needsOf` knows the methods of questions alone.
  return { method: method as Question['method'], ...(params === undefined ? {} : { params }), needs, answer: z.unknown() }
}

function needsOf (method: unknown, params: JsonObject): JsonObject | undefined {
  switch (method) {
    case 'roots/list': return { roots: {} }
    case 'sampling/createMessage': return { sampling: samplingNeeds(params) }
    case 'elicitation/create': {
      const { mode = 'form' } = params
      return mode === 'form' || mode === 'url' ? { elicitation: { [mode]: {} } } : undefined
    }
    default: return undefined
  }
}

/** What of sampling a client has to declare for these parameters (SAMP-01). */
export function samplingNeeds ({ tools, toolChoice, includeContext }: JsonObject): JsonObject {
  const usesTools = tools !== undefined || toolChoice !== undefined
  const usesContext = includeContext !== undefined && includeContext !== 'none'
  return { ...(usesTools ? { tools: {} } : {}), ...(usesContext ? { context: {} } : {}) }
}

/** Whether a client that declared `capabilities` can be asked what needs `needs`. */
export function isDeclared (needs: JsonObject, capabilities: JsonObject): boolean {
  return Object.entries(needs).every(([name, wanted]) => {
    const declared = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
    if (!isObject(declared) || !isObject(wanted)) return false
    return isDeclared(wanted, name === 'elicitation' ? withModes(declared) : declared)
  })
}

/** Elicitation without a mode means forms (CAP-01). */
function withModes (elicitation: JsonObject): JsonObject {
  return 'form' in elicitation || 'url' in elicitation ? elicitation : { ...elicitation, form: {} }
}

/** The needs of several questions as one ClientCapabilities object, for ERR-06. */
export function allNeeds (questions: readonly Question[]): JsonObject {
  return questions.map(({ needs }) => needs).reduce(merge, {})
}

function merge (one: JsonObject, other: JsonObject): JsonObject {
  const merged = Object.entries(other).map(([name, wanted]) => {
    const already = one[name]
    return [name, isObject(already) && isObject(wanted) ? merge(already, wanted) : wanted]
  })
  return { ...one, ...Object.fromEntries(merged) }
}
