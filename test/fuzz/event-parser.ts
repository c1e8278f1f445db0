/**
 * Reads an event stream as a browser does (the EventSource rules of the HTML standard): line
 * ends of three kinds, data lines joined, comments and unknown fields left out.
 *
 * @returns the data of each event
 */
export function parseEvents (bytes: Buffer): string[] {
  const events: string[] = []
  let data: string[] = []
  for (const line of bytes.toString('utf8').replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'))
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field === 'data') data.push(colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, ''))
  }
  return events
}
