import type { Principal } from '../protocol/principal.ts'
import type { RequestHeaders } from '../protocol/request-headers.ts'

/** Tells from its headers on whose behalf a request comes. Each ingress has one. */
export interface Authenticator {
  /** @returns undefined when the headers prove nothing */
  authenticate (headers: RequestHeaders): Principal | undefined
  /** Why these headers prove nothing, and what would; asked only when they do not. */
  challenge (headers: RequestHeaders): Challenge
}

/** What a request is answered whose headers prove nothing. None of it may depend on a secret. */
export interface Challenge {
  /** The value of `WWW-Authenticate` (RFC 9110 §11.6.1). */
  readonly header: string
  /** What is wrong, and what to do: all that an OAuth client shows its user (RFC 6749 §5.2: ASCII, no quotes). */
  readonly description: string
  /** What to do, alone. */
  readonly nextAction: string
}

/**
 * The challenge of bearer tokens (RFC 6750 §3). It has an error code only where the scheme Bearer came
 * (§3.1): without it there is no token that could be wrong.
 */
export function bearerChallenge (
  { problem, nextAction, isBearer }: { readonly problem: string, readonly nextAction: string, readonly isBearer: boolean }
): Challenge {
  const description = `${problem} ${nextAction}`.replaceAll(/["\\]/g, "'")
  return {
    header: isBearer ? `Bearer error="invalid_token", error_description="${description}"` : 'Bearer',
    description,
    nextAction
  }
}
