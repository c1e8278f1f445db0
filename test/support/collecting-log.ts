import type { CatalogLog } from '../../src/mcp/catalog/merge-catalogs.ts'
import type { ErrorLog } from '../../src/mcp/dispatcher.ts'

/** A log that keeps what it is told. */
export function collectingLog (): ErrorLog & CatalogLog & { readonly entries: Array<{ readonly facts: object, readonly message: string }> } {
  const entries: Array<{ facts: object, message: string }> = []
  const keep = (facts: object, message: string): void => { entries.push({ facts, message }) }
  return { entries, error: keep, warn: keep }
}
