/**
 * The state directory's database: one SQLite file, opened by one process.
 *
 * The file is readable by its owner alone; so is a directory made here. One that was there
 * before keeps its mode, unless it is the one that mooring has for itself when no other is named;
 * it is refused when another user could replace the file in it.
 *
 * The lock is exclusive, taken before anything is read, and held until the connection closes or
 * the process dies. No other process can come in between, so there is nothing to wait for either:
 * the busy timeout is zero, and a second process is refused at once.
 *
 * Nothing is ever deleted or repaired here: what cannot be opened is for a person to look at.
 */
import SqliteDatabase, { type Database, SqliteError } from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { chmodSync, closeSync, constants, existsSync, lstatSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Refusal } from '../../refusals/refusal.ts'
import { makeFolder } from '../../runtime/make-folder.ts'
import { packageRoot } from '../../runtime/package-root.ts'
import {
  StateDirectoryInUseRefusal, StateDirectoryUnusableRefusal, StoreDamagedRefusal, StoreTooNewRefusal
} from '../store-refusals.ts'
import { refuseUnsafePlace } from './safe-place.ts'

const migrationsFolder = join(packageRoot, 'migrations', 'sqlite')
/** Of the sealing keys, in the folder of the database. */
const sealingKeyName = 'sealing-key'
const mostLogBytes = 4 * 1024 * 1024

/**
 * Opens the database, or makes it, and brings its tables up to date.
 *
 * @throws {StateDirectoryInUseRefusal} another process has it open
 * @throws {StateDirectoryUnsafeRefusal} another user could put another file in its place
 * @throws {StateDirectoryUnusableRefusal} it cannot be made, read or written
 * @throws {StoreTooNewRefusal} a newer version has migrated it
 * @throws {StoreDamagedRefusal} it is damaged, or something else
 */
export function openDatabase (file: string, { isOwnFolder = false }: { readonly isOwnFolder?: boolean } = {}): Database {
  let client: Database | undefined
  try {
    makeFolder(dirname(file))
    if (isOwnFolder) closeFolder(dirname(file))
    refuseUnsafePlace(file)
    refuseEmptied(file)
    makePrivateFile(file)
    client = new SqliteDatabase(file, { timeout: 0 })
    // In this order: with an exclusive lock from the start, WAL needs no shared memory file.
    client.pragma('locking_mode = EXCLUSIVE')
    client.pragma('journal_mode = WAL')
    if (isDamaged(client)) throw new StoreDamagedRefusal(file, undefined)
    if (isTooNew(client)) throw new StoreTooNewRefusal({ file })
    // What a purge or a burst has made of the log is given back once it is written into the file.
    client.pragma(`journal_size_limit = ${mostLogBytes}`)
    // A commit is on the disk before it is acknowledged, and survives a power cut.
    client.pragma('synchronous = FULL')
    // Off meanwhile: a migration may have to rebuild a table that others refer to.
    client.pragma('foreign_keys = OFF')
    migrate(drizzle(client), { migrationsFolder })
    client.pragma('foreign_keys = ON')
    return client
  } catch (cause) {
    client?.close()
    throw toRefusal(file, cause) ?? cause
  }
}

/** Keeps other users out of a folder; what a link points at may belong to one of them. */
function closeFolder (folder: string): void {
  const facts = lstatSync(folder)
  if (facts.isDirectory() && (facts.mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

/**
 * Refuses a database that was emptied or deleted. SQLite would begin a new one in its place, and
 * throw away a write-ahead log that may hold everything that was acknowledged.
 *
 * A file without a byte is a beginning only where mooring has left nothing else; the sealing keys
 * are made after the first database.
 *
 * @throws {StoreDamagedRefusal}
 */
function refuseEmptied (file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const isEmptied = size === 0 && existsSync(join(dirname(file), sealingKeyName))
  if (isEmptied || ((size ?? 0) === 0 && hasLog)) throw new StoreDamagedRefusal(file, undefined)
}

function makePrivateFile (file: string): void {
  // SQLite gives its -wal file the mode of the database, so this one is settled first.
  closeSync(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600))
  chmodSync(file, 0o600)
}

function isDamaged (client: Database): boolean {
  return client.pragma('quick_check(1)', { simple: true }) !== 'ok'
}

/** Whether a migration was applied that this version does not have. */
function isTooNew (client: Database): boolean {
  const table = client.prepare("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get()
  if (table === undefined) return false
  const applied: unknown[] = client.prepare('SELECT created_at FROM __drizzle_migrations').pluck().all()
  const known = new Set(readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis))
  return applied.some((createdAt) => !known.has(Number(createdAt)))
}

function toRefusal (file: string, cause: unknown): Refusal | undefined {
  if (cause instanceof SqliteError) {
    if (cause.code.startsWith('SQLITE_BUSY')) return new StateDirectoryInUseRefusal(file)
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(cause.code)) return new StoreDamagedRefusal(file, cause)
    if (/^SQLITE_(CANTOPEN|READONLY|PERM|IOERR|FULL|AUTH)/.test(cause.code)) return new StateDirectoryUnusableRefusal(file, cause)
    return undefined
  }
  const isSystemError = cause instanceof Error && 'syscall' in cause
  return isSystemError ? new StateDirectoryUnusableRefusal(file, cause) : undefined
}
