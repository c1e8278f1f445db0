/**
 * Bearer tokens (AUTH-04, RFC 6750 §2.1): the token comes in `Authorization` and nowhere else.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../protocol/principal.ts'
import { bearerChallenge, type Authenticator, type Challenge } from './authenticator.ts'
import type { HeaderValues } from './host-allow-list.ts'
import type { TokenOrigin } from './token-origin.ts'

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
export function createTokenAuthenticator ({ token, origin }: { readonly token: string, readonly origin: TokenOrigin }): Authenticator {
  const { verify } = createTokenVerifier({ token })
  const challenges = createChallenges(origin)
  return {
    authenticate: ({ authorization }) => verify(valuesOf(authorization)),
    challenge: ({ authorization }) => {
      if (authorization === undefined) return challenges.missing
      const values = valuesOf(authorization) ?? []
      if (values.every((value) => value.trim() === '')) return challenges.empty
      if (!values.some(isBearer)) return challenges.otherScheme
      return parseBearer(values) === undefined ? challenges.unreadable : challenges.wrong
    }
  }
}

/** Made once: a client that goes on with a stale token may ask often. */
function createChallenges (origin: TokenOrigin): Readonly<Record<'missing' | 'empty' | 'otherScheme' | 'unreadable' | 'wrong', Challenge>> {
  const nextAction = `${whereToFind[origin]} Send it as Authorization: Bearer <token>.`
  return {
    missing: bearerChallenge({ problem: 'The request carries no token.', nextAction, isBearer: false }),
    empty: bearerChallenge({ problem: `The Authorization header is empty; ${perhapsEmpty}`, nextAction, isBearer: false }),
    otherScheme: bearerChallenge({ problem: 'The Authorization header does not begin with the scheme Bearer.', nextAction, isBearer: false }),
    unreadable: bearerChallenge({
      problem: `The Authorization header holds no bearer token; ${perhapsEmpty}`,
      nextAction,
      isBearer: true
    }),
    wrong: bearerChallenge({
      problem: origin === 'new'
        ? 'This is not the token of this server: each start makes a new one.'
        : 'This is not the token of this server.',
      nextAction,
      isBearer: true
    })
  }
}

const perhapsEmpty = 'a variable that it is made from may have been empty.'
const ofTheFile = 'Read the token file of the server again (its banner names it), and start the client with what it holds.'
const ofTheOperator = 'Ask the operator of the server for the token that it was started with.'
const whereToFind: Readonly<Record<TokenOrigin, string>> = {
  new: ofTheFile, keep: ofTheFile, file: ofTheOperator, variable: ofTheOperator
}

function valuesOf (header: string | readonly string[] | undefined): HeaderValues {
  return typeof header === 'string' ? [header] : header
}

function isBearer (authorization: string): boolean {
  return /^Bearer(?:\s|$)/i.test(authorization)
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
