import { createHmac } from 'node:crypto'

/** Stands for a principal where its name must not be shown; equal exactly when the principal is. */
export type PrincipalHash = (principalKey: string) => string

const shownCharacters = 16

/** Names cannot be tried against the hashes without the key, which should live no longer than the process. */
export function createPrincipalHash (key: Buffer): PrincipalHash {
  return (principalKey) => createHmac('sha256', key).update(principalKey).digest('hex').slice(0, shownCharacters)
}
