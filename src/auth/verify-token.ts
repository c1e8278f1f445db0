/**
 * Bearer tokens (AUTH-04, RFC 6750 §2.1): the token comes in `Authorization` and nowhere else.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../protocol/principal.ts'
import type { Authenticator } from './authenticator.ts'
import type { HeaderValues } from './host-allow-list.ts'

/** Every caller with the token of this server. */
const localPrincipal: Principal = Object.freeze({ issuer: 'mooring', subject: 'local', key: 'mooring\0local' })

export interface TokenVerifier {
  /** @returns undefined when there is no token, more than one, or another one */
  verify (authorization: HeaderValues): Principal | undefined
}

/**
 * Knows one token. How long a comparison takes says whether a guess had the right length, which
 * is no secret, and nothing of how much of it was right.
 */
export function createTokenVerifier ({ token }: { readonly token: string }): TokenVerifier {
  const expected = Buffer.from(token)

  return {
    verify (authorization) {
      const presented = parseBearer(authorization)
      if (presented === undefined) return undefined
      const bytes = Buffer.from(presented)
      return bytes.length === expected.length && timingSafeEqual(bytes, expected) ? localPrincipal : undefined
    }
  }
}

/** Authenticates requests that carry the one token of this server. */
export function createTokenAuthenticator ({ token }: { readonly token: string }): Authenticator {
  const { verify } = createTokenVerifier({ token })
  return {
    authenticate: ({ authorization }) => verify(typeof authorization === 'string' ? [authorization] : authorization)
  }
}

/**
 * The token of `Authorization: Bearer <token>`; the scheme in any case, one header, one token,
 * nothing but the token68 alphabet.
 */
export function parseBearer (authorization: HeaderValues): string | undefined {
  const [value, ...more] = authorization ?? []
  if (value === undefined || more.length > 0) return undefined
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(value)?.[1]
}
