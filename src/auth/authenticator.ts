import type { Principal } from '../protocol/principal.ts'
import type { RequestHeaders } from '../protocol/request-headers.ts'

/** Tells from its headers on whose behalf a request comes. Each ingress has one. */
export interface Authenticator {
  /** @returns undefined when the headers prove nothing */
  authenticate (headers: RequestHeaders): Principal | undefined
}
