/**
 * Work on the database, in the two forms that there are.
 *
 * A lookup is one statement on any connection. A change is a transaction. Its reads go out
 * together with its beginning, in one round trip; it writes once the term has turned out to be
 * ours, and then commits. A transaction that was undone because of another one is repeated.
 *
 * A commit whose answer is lost may have happened or not. The server says which, by the number of
 * the transaction, as soon as it answers again. Only where that takes too long the change fails
 * and it remains open whether it happened.
 */
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Pool, PoolClient } from 'pg'
import { Refusal } from '../../refusals/refusal.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { isConflict, isConnectionFault, toStoreFault } from './postgres-faults.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import { enterTerm, type StoreClaim } from './store-claim.ts'

const mostTries = 5
const askEveryMs = 250

export interface PostgresWork {
  lookUp<T> (look: (connection: PoolClient) => Promise<T>): Promise<T>
  change<Found, T> (change: ChangeToMake<Found, T>): Promise<T>
}

export interface ChangeToMake<Found, T> {
  /** False when a power cut may forget it. */
  readonly durable: boolean
  /** Looks at rows and locks them; may run again. */
  readonly read: (connection: PoolClient) => Promise<Found>
  /** Writes rows; may run again, after another `read`. */
  readonly write: (connection: PoolClient, found: Found) => Promise<T>
}

interface Attempt<T> {
  readonly written: T
  /** Set when the commit was not answered. */
  readonly doubt?: { readonly xid: string, readonly cause: unknown }
}

export function createPostgresWork ({ pool, claim, limits, scheduler, onRefusal = () => {}, onWritten = () => {} }: {
  readonly pool: Pool
  readonly claim: StoreClaim
  readonly limits: PostgresLimits
  readonly scheduler: Scheduler
  /** An operation was refused, because the database cannot be used now. */
  readonly onRefusal?: (refusal: Refusal) => void
  /** A change was recorded. */
  readonly onWritten?: () => void
}): PostgresWork {
  // A connection that breaks while it lies idle leaves the pool; the server may be gone for all of them.
  pool.on('error', claim.doubt)

  /** Runs work on a connection, which is given up if it broke. */
  async function connected<T> (work: (connection: PoolClient, giveUp: () => void) => Promise<T>): Promise<T> {
    claim.assertHeld()
    const connection = await pool.connect()
    let isBroken = false
    const giveUp = () => { isBroken = true }
    try {
      return await work(connection, giveUp)
    } catch (cause) {
      if (isConnectionFault(cause)) giveUp()
      throw cause
    } finally {
      connection.release(isBroken)
    }
  }

  function attempt<Found, T> ({ durable, read, write }: ChangeToMake<Found, T>): Promise<Attempt<T>> {
    return connected(async (connection, giveUp) => {
      let xid: string
      let written: T
      try {
        const [begun, found] = await all(begin(connection, durable), read(connection))
        claim.assertTerm(begun.term)
        xid = begun.xid
        written = await write(connection, found)
      } catch (cause) {
        if (!isConnectionFault(cause)) await connection.query('ROLLBACK')
        throw cause
      }
      try {
        // A transaction in which a statement has failed is committed by undoing it.
        const { command } = await connection.query('COMMIT')
        if (command !== 'COMMIT') throw new Error(`a commit was answered with ${command}`)
        return { written }
      } catch (cause) {
        if (!isConnectionFault(cause)) throw cause
        giveUp()
        return { written, doubt: { xid, cause } }
      }
    })
  }

  async function changeOnce<Found, T> (change: ChangeToMake<Found, T>): Promise<T> {
    const { written, doubt } = await attempt(change)
    if (doubt === undefined || await hasCommitted(doubt.xid)) return written
    throw doubt.cause
  }

  async function hasCommitted (xid: string): Promise<boolean> {
    claim.doubt()
    const tooLate = new AbortController()
    const cancel = scheduler.after(limits.outcomeMs, () => tooLate.abort())
    while (!tooLate.signal.aborted) {
      try {
        const { rows: [row] } = await pool.query<{ readonly status: string | null }>('SELECT pg_xact_status($1::xid8) AS status', [xid])
        if (row?.status !== 'in progress') {
          cancel()
          return row?.status === 'committed'
        }
      } catch {
        // The server does not answer yet.
      }
      await new Promise<void>((resolve) => { scheduler.after(askEveryMs, resolve) })
    }
    return false
  }

  async function refusing<T> (kind: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (isConnectionFault(cause)) claim.doubt()
      const fault = toStoreFault(cause, kind)
      if (fault instanceof Refusal) onRefusal(fault)
      throw fault
    }
  }

  return {
    lookUp: (look) => refusing('read', () => connected(look)),

    change: (given) => refusing('write', async () => {
      for (let tries = 1; ; tries++) {
        try {
          const written = await changeOnce(given)
          onWritten()
          return written
        } catch (cause) {
          if (tries >= mostTries || !isConflict(cause)) throw cause
        }
      }
    })
  }
}

async function begin (connection: PoolClient, durable: boolean): Promise<{ readonly term: number, readonly xid: string }> {
  // Above this level, whatever the database's default is, the term would be read as it was before the wait for the gate.
  // Several statements are answered by as many results, of which the type knows nothing.
  const answered: unknown = await connection.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${durable ? '' : 'SET LOCAL synchronous_commit = off; '}${enterTerm}`)
  const last: unknown = Array.isArray(answered) ? answered.at(-1)?.rows?.[0] : undefined
  if (typeof last !== 'object' || last === null || !('term' in last && 'xid' in last)) throw new Error('the table of the claim is empty')
  return { term: Number(last.term), xid: String(last.xid) }
}

/** Both results. Waits for the second also when the first fails: nothing may be under way on the connection after that. */
async function all<One, Other> (one: Promise<One>, other: Promise<Other>): Promise<readonly [One, Other]> {
  await Promise.allSettled([one, other])
  return [await one, await other]
}

/** Statements that are prepared once on each connection. */
export function onEach<Statements> (prepare: (db: NodePgDatabase) => Statements): (connection: PoolClient) => Statements {
  const prepared = new WeakMap<PoolClient, Statements>()
  return (connection) => {
    let statements = prepared.get(connection)
    if (statements === undefined) {
      statements = prepare(drizzle(connection))
      prepared.set(connection, statements)
    }
    return statements
  }
}
