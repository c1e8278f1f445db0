import type { ErrorLog } from '../../src/mcp/dispatcher.ts'

/** A log that keeps what it is told. */
export function collectingLog (): ErrorLog & { readonly entries: Array<{ readonly facts: object, readonly message: string }> } {
  const entries: Array<{ facts: object, message: string }> = []
  return { entries, error: (facts, message) => { entries.push({ facts, message }) } }
}
