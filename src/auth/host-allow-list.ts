/**
 * Which `Host` and `Origin` a request may carry (HTTP-10, HTTP-11).
 *
 * A web page whose name has been pointed at this machine reaches a loopback port with its own
 * name in `Host` and `Origin`. So both are checked on every request, as parsed names and
 * never as prefixes. `localhost`, `127.0.0.1` and `[::1]` are always allowed, with any port;
 * further names and origins come from the settings.
 *
 * Refused without a look at the list: a header that came twice, a name with a trailing dot or
 * user info, an address written in another notation than dotted numbers, and an origin that
 * is `null` or not http(s) (unless it is configured letter by letter).
 */
import { isIPv6 } from 'node:net'

/** Names under which a process on the same machine reaches us. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** All values a header came with, in order; `undefined` or empty when it did not come. */
export type HeaderValues = readonly string[] | undefined

export interface HostAllowList {
  /** Exactly one `Host`, and its name is allowed. */
  allowsHost (values: HeaderValues): boolean
  /** No `Origin`, or exactly one that is allowed. */
  allowsOrigin (values: HeaderValues): boolean
}

export function createHostAllowList (
  { allowedHosts, allowedOrigins }: { readonly allowedHosts: readonly string[], readonly allowedOrigins: readonly string[] }
): HostAllowList {
  const names = new Set([...loopbackNames, ...allowedHosts.map((host) => parseHostName(host) ?? refuseName(host))])
  const origins = new Set(allowedOrigins)

  // Nearly every request comes under the same name as the one before.
  let lastAllowed: string | undefined

  function allowsAuthority (authority: string): boolean {
    if (authority === lastAllowed) return true
    const name = parseAuthority(authority)
    if (name === undefined || !names.has(name)) return false
    lastAllowed = authority
    return true
  }

  return {
    allowsHost (values) {
      const [host, ...more] = values ?? []
      return host !== undefined && more.length === 0 && allowsAuthority(host)
    },
    allowsOrigin (values) {
      const [origin, ...more] = values ?? []
      if (origin === undefined) return true
      if (more.length > 0) return false
      if (origins.has(origin)) return true
      const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1]
      return authority !== undefined && allowsAuthority(authority)
    }
  }
}

/** Whether a server bound to `host` is reached under one of the names that are always allowed. */
export function isLoopbackName (host: string): boolean {
  return loopbackNames.includes(parseHostName(host) ?? '')
}

/**
 * A host name or address without a port, in the one form it is compared in: lower case, an
 * IPv6 address shortened and in brackets (it may come without them).
 *
 * @returns undefined when it is neither a name nor an address
 */
export function parseHostName (host: string): string | undefined {
  const address = /^\[(.*)\]$/.exec(host)?.[1] ?? host
  if (isIPv6(address)) {
    // A zone names an interface of the sender's machine; it means nothing here.
    return address.includes('%') ? undefined : new URL(`http://[${address}]`).hostname
  }
  return namePattern.test(host) && host.length <= 253 ? host.toLowerCase() : undefined
}

// Underscores are no part of a host name, but container networks are full of them.
const namePattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

/** The name in `name`, `name:port`, `[v6]` or `[v6]:port`. */
function parseAuthority (authority: string): string | undefined {
  const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (name === undefined || Number(port ?? 0) > 65_535) return undefined
  return parseHostName(name)
}

function refuseName (host: string): never {
  throw new TypeError(`not a host name: ${host}`)
}
