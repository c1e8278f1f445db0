import { randomBytes } from 'node:crypto'

/** The only source of randomness: handles that cannot be guessed, and raw bytes. */
export interface Ids {
  /** A new lease handle, `ls_` and 22 base64url characters (128 random bits). */
  lease (): string
  /** `size` bytes fit for keys and tokens. */
  bytes (size: number): Buffer
}

/** Ids from the operating system's cryptographic generator. */
export const randomIds: Ids = {
  lease: () => `ls_${randomBytes(16).toString('base64url')}`,
  bytes: (size) => randomBytes(size)
}
