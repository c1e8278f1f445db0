const longest = 256
const handle = /ls_[A-Za-z0-9_-]+/g
/** As many characters of a handle as a log shows of it. */
const shown = 6

/**
 * A URI as others may see it: without credentials, query and fragment, and with lease handles
 * cut short, since a handle is a capability. Undefined when it cannot be read.
 */
export function redactUri (uri: string): string | undefined {
  let readable: string
  try {
    // A handle can be written in percent signs, and so can a question mark.
    readable = decodeURIComponent(withoutQuery(uri))
  } catch {
    return undefined
  }
  return withoutQuery(readable)
    .replace(/^([^:/]+:\/\/)[^/]*@/, '$1')
    .replace(handle, (found) => found.length <= shown ? found : `${found.slice(0, shown)}…`)
    .slice(0, longest)
}

function withoutQuery (uri: string): string {
  return uri.replace(/[?#][^]*$/, '')
}
