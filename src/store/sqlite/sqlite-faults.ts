/** What SQLite says when it cannot read or write its file, as refusals: each of them passes once the file is well again. */
import { SqliteError } from 'better-sqlite3'
import { StoreNotWritableRefusal } from '../../leases/contract/store-not-writable.ts'
import { StoreUnavailableRefusal } from '../store-refusals.ts'

/** By the beginning of the code; the extended codes say no more than the log has to know. */
const problems: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_FULL/, 'its disk is full'],
  [/^SQLITE_(?:READONLY|PERM|AUTH)/, 'it may not be written'],
  [/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/, 'another program has locked it'],
  [/^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/, 'it is damaged'],
  [/^SQLITE_(?:IOERR|CANTOPEN)/, 'its file system fails'],
  [/^SQLITE_NOMEM/, 'there is too little memory']
]

/** @returns the refusal that a failed read is for callers, or what was thrown where it says nothing of the file */
export function readFault (cause: unknown): unknown {
  const problem = problemOf(cause)
  return problem === undefined ? cause : new StoreUnavailableRefusal(cause, problem)
}

/** As `readFault`, for what was to be written. */
export function writeFault (cause: unknown): unknown {
  const problem = problemOf(cause)
  return problem === undefined ? cause : new StoreNotWritableRefusal(problem, cause)
}

function problemOf (cause: unknown): string | undefined {
  if (!(cause instanceof SqliteError)) return undefined
  return problems.find(([code]) => code.test(cause.code))?.[1]
}
