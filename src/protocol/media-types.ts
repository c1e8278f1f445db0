/** What a POST may carry and must take back (HTTP-03, HTTP-04). */

/** Compares the media type only: parameters such as `charset=utf-8` are fine. */
export function isJsonContentType (header: string | undefined): boolean {
  return header === 'application/json' || (header !== undefined && mediaType(header) === 'application/json')
}

/**
 * Whether an `Accept` header takes both forms a request can be answered in. Wildcards count,
 * an absent header is tolerated, and `q=0` excludes.
 */
export function acceptsBothForms (header: string | undefined): boolean {
  if (header === undefined || header === '*/*' || header === 'application/json, text/event-stream') return true
  const ranges = header.split(',').map((range) => ({ type: mediaType(range), excluded: /;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range) }))
  return accepts(ranges, 'application/json') && accepts(ranges, 'text/event-stream')
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
