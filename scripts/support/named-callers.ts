import type { Authenticator } from '../../src/auth/authenticator.ts'
import type { Principal } from '../../src/protocol/principal.ts'

/** The name that a caller gives itself, where a composition takes its word for that. */
export const callerHeader = 'x-caller'

export function namedPrincipal (name: string): Principal {
  return { issuer: 'mooring', subject: name, key: `mooring\0${name}` }
}

/**
 * Lets a caller that has the token take any name, for a server under test: one token makes one
 * principal, and what is fair or kept apart shows only between several. A caller that takes none
 * is `unnamed`, or else the one whose token it is.
 *
 * For the `authenticator` of a composition of the app. Nothing of the `mooring` command leads here.
 */
export function nameCallers ({ authenticate, challenge }: Authenticator, unnamed?: string): Authenticator {
  return {
    challenge,
    authenticate (headers) {
      const principal = authenticate(headers)
      const name = headers[callerHeader] ?? unnamed
      return principal !== undefined && typeof name === 'string' ? namedPrincipal(name) : principal
    }
  }
}
