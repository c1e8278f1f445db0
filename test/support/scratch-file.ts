import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of a file that does not exist yet, in a folder that goes when the test does. */
export function scratchFile (t: { teardown (work: () => unknown): void }, name = 'mooring.db'): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}
