/**
 * What Postgres and the connection to it can say, in the ways that matter: the server is
 * not there, two transactions were in each other's way, the database takes no writes, it is not as
 * we have made it, or something is wrong.
 */
import pg from 'pg'
import { StoreNotWritableRefusal } from '../../leases/contract/store-not-writable.ts'
import { StoreUnavailableRefusal } from '../store-refusals.ts'

/** The server starts, stops or is full. */
const busy = /^(?:57P0[1-5]|53)/
/** It could not do in time what it was asked. */
const late = /^(?:57014|25P0[34])/
/** Another transaction has the lock that a statement waited for. */
const locked = /^55P03$/
const troubled = /^(?:08|58)/
const readOnly = /^25006$/
const diskFull = /^53100$/
const damaged = /^XX00[12]$/
/** Tables or columns of ours are gone, or not for us any more. */
const altered = /^(?:42P01|42703|3F000|42501)$/
const lockedByOther = 'another program has locked it'
const slow = 'it does not do in time what it is asked'
const conflict = /^(?:40001|40P01)$/
const connectionTroubles = /^(?:Connection terminated|timeout expired|Client (?:has encountered|was closed)|Query read timeout|timeout exceeded when|Cannot use a pool)/

/** The error of the driver, without what drizzle puts around it: the statement, and all its values. */
export function faultOf (cause: unknown): unknown {
  const inner = cause instanceof Error && cause.message.startsWith('Failed query:') ? cause.cause : undefined
  return inner ?? cause
}

/** Whether the connection is of no use any more, so that what was under way on it may or may not have happened. */
export function isConnectionFault (cause: unknown): boolean {
  const fault = faultOf(cause)
  if (fault instanceof pg.DatabaseError) return fault.severity === 'FATAL' || fault.severity === 'PANIC'
  if (!(fault instanceof Error)) return false
  const isSystemError = 'syscall' in fault || ('code' in fault && typeof fault.code === 'string' && /^E[A-Z]+$/.test(fault.code))
  return isSystemError || connectionTroubles.test(fault.message)
}

/** Whether the server says that it cannot be used now. */
export function isServerBusy (fault: unknown): boolean {
  return fault instanceof pg.DatabaseError && busy.test(fault.code ?? '')
}

/** Whether the transaction was undone because of another one, and may do better if it is repeated. */
export function isConflict (cause: unknown): boolean {
  const fault = faultOf(cause)
  if (!(fault instanceof pg.DatabaseError)) return false
  // Two grants under one session key at once: the second finds the key taken when it looks again.
  return conflict.test(fault.code ?? '') || fault.constraint === 'leases_one_live_per_session_key'
}

/**
 * What to throw to the rooms: a refusal where the database cannot be used, and else an error without values of the rows.
 *
 * @param work what could not be done; a database that another program has locked may still be read
 */
export function toStoreFault (cause: unknown, work: 'read' | 'write'): unknown {
  const fault = faultOf(cause)
  if (isConnectionFault(fault)) return new StoreUnavailableRefusal(fault)
  if (!(fault instanceof pg.DatabaseError)) return fault
  const plain = withoutValues(fault)
  const { code = '' } = fault
  if (readOnly.test(code)) return new StoreNotWritableRefusal('it is read-only', plain)
  if (diskFull.test(code)) return new StoreNotWritableRefusal('its disk is full', plain)
  if (locked.test(code)) {
    return work === 'write' ? new StoreNotWritableRefusal(lockedByOther, plain) : new StoreUnavailableRefusal(plain, lockedByOther)
  }
  if (late.test(code)) return new StoreUnavailableRefusal(plain, slow)
  if (damaged.test(code)) return new StoreUnavailableRefusal(plain, 'it is damaged')
  if (altered.test(code)) return new StoreUnavailableRefusal(plain, 'its tables are missing, or closed to the gateway')
  return isServerBusy(fault) || troubled.test(code) ? new StoreUnavailableRefusal(plain) : plain
}

/** Postgres puts the values of a row into `detail`, which a log would show: handles and principals among them. */
function withoutValues ({ message, code, constraint, table }: pg.DatabaseError): Error {
  const where = [code, table, constraint].filter((part) => part !== undefined).join(', ')
  return new Error(`the database refused a statement: ${message} (${where})`)
}
