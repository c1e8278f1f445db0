import { hasHalf } from '../text/well-formed.ts'
import { invalidParams } from './error-table.ts'
import type { JsonObject } from './message.ts'
import type { Rejection } from './rejection.ts'

/** What `_meta` gives for progress (PROG-01): undefined where that is no token. */
export function readProgressToken ({ progressToken }: JsonObject): string | number | undefined {
  const isToken = typeof progressToken === 'string' ? !hasHalf(progressToken) : Number.isSafeInteger(progressToken)
  return isToken ? progressToken as string | number : undefined
}

/**
 * PROG-01: a caller that waits for progress under something that is no token would wait in vain.
 * Null stands for none.
 */
export function checkProgressToken ({ meta, progressToken }: { readonly meta: JsonObject, readonly progressToken: string | number | undefined }): Rejection | undefined {
  if (progressToken !== undefined || meta['progressToken'] === undefined || meta['progressToken'] === null) return undefined
  return invalidParams('params._meta.progressToken must be a string of whole characters or a whole number up to 2^53 - 1; leave it out for no progress.')
}
