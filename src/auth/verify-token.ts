/**
 * Bearer tokens (AUTH-04, RFC 6750 §2.1): the token comes in `Authorization` and nowhere else.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../protocol/principal.ts'
import type { HeaderValues } from './host-allow-list.ts'

/** Whoever holds the token of this server. */
const localPrincipal: Principal = Object.freeze({ issuer: 'mooring', subject: 'local', key: 'mooring\0local' })

export interface TokenVerifier {
  /** @returns undefined when there is no token, more than one, or another one */
  verify (authorization: HeaderValues): Principal | undefined
}

/** Knows one token. How long a comparison takes says nothing of how much of a guess was right. */
export function createTokenVerifier ({ token }: { readonly token: string }): TokenVerifier {
  const expected = digest(token)

  return {
    verify (authorization) {
      const presented = parseBearer(authorization)
      if (presented === undefined) return undefined
      return timingSafeEqual(digest(presented), expected) ? localPrincipal : undefined
    }
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

// Digests have one length whatever was presented, which timingSafeEqual needs.
function digest (token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
