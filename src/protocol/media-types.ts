/** What a POST may carry and must take back (HTTP-03, HTTP-04). */

/** Compares the media type only: parameters such as `charset=utf-8` are fine. */
export function isJsonContentType (header: string | undefined): boolean {
  return header === 'application/json' || (header !== undefined && mediaType(header) === 'application/json')
}

/** How a request can be answered: with one message of JSON, with a stream of events, or with either as it turns out. */
export type AnswerForm = 'message' | 'stream' | 'either'

/** The media types that a caller has to accept for an answer of that form. */
export const typesOfForm: Readonly<Record<AnswerForm, readonly string[]>> = {
  message: ['application/json'],
  stream: ['text/event-stream'],
  either: ['application/json', 'text/event-stream']
}

/**
 * Whether an `Accept` header takes all that an answer can be. Wildcards count, an absent header is
 * tolerated, and `q=0` excludes.
 */
export function acceptsForm (header: string | undefined, form: AnswerForm): boolean {
  if (header === undefined || header === '*/*' || header === 'application/json, text/event-stream') return true
  const ranges = header.split(',').map((range) => ({ type: mediaType(range), excluded: /;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range) }))
  return typesOfForm[form].every((type) => accepts(ranges, type))
}

function accepts (ranges: ReadonlyArray<{ type: string, excluded: boolean }>, wanted: string): boolean {
  const family = `${wanted.slice(0, wanted.indexOf('/'))}/*`
  // The most specific range decides (RFC 9110 §12.5.1).
  const decisive = [wanted, family, '*/*'].flatMap((type) => ranges.filter((range) => range.type === type))[0]
  return decisive !== undefined && !decisive.excluded
}

function mediaType (value: string): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
