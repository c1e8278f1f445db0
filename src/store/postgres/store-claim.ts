/**
 * The claim: that this process, and no other, changes what is in the database.
 *
 * A claim has two halves. An advisory lock of the server's, held by a connection of its own for
 * as long as the process lives, keeps other processes out: a second one is refused at its start.
 * But the lock goes with that connection, and a connection can break while the process goes on.
 * So there is a term as well, a number in the table `claim`. Each process that gets the lock
 * begins the next term, and a transaction that finds another term than its own is undone. Nothing
 * that a process writes can follow what its successor has written.
 *
 *   held    the lock is ours; transactions are let in
 *   away    the connection with the lock is broken. Nothing is let in, and the lock is tried for
 *           until it is ours again. If the term is still the same then, no other process has come
 *           in between, and everything goes on as it was
 *   lost    another process has begun a term. What this one remembers is not true any more, so it
 *           has to end: `onLost` is told, once
 *   closed  given up in order
 *
 * A new term waits for the transactions of the term before. They all hold the gate, a second
 * advisory lock, in common; a process that begins a term takes the gate for itself.
 */
import type { Client } from 'pg'
import type { Log } from '../../leases/log.ts'
import type { Cancel, Scheduler } from '../../runtime/scheduler.ts'
import { StoreInUseRefusal, StoreTakenOverRefusal, StoreUnavailableRefusal } from '../store-refusals.ts'
import type { PostgresLimits } from './postgres-limits.ts'
import type { PostgresServer } from './postgres-server.ts'

// The first number is 'moor' in ASCII; the second says which lock.
const processLock = '1836019570, 1'
const gate = '1836019570, 2'

/** In a transaction: holds the gate in common with others until the end; says the term and the number of the transaction. */
export const enterTerm = `SELECT pg_advisory_xact_lock_shared(${gate}); SELECT term, pg_current_xact_id()::text AS xid FROM claim`

const askEveryMs = 100
const firstRetryMs = 100
const longestRetryMs = 2_000
const farewellMs = 1_000

export interface StoreClaim {
  readonly isHeld: boolean
  /** @throws {StoreUnavailableRefusal | StoreTakenOverRefusal} */
  assertHeld (): void
  /** @throws {StoreTakenOverRefusal} this is not our term, and the claim is lost */
  assertTerm (term: number): void
  /** Another connection to the server is broken: looks whether the one with the lock is too. */
  doubt (): void
  close (): Promise<void>
}

export interface ClaimParts {
  readonly server: PostgresServer
  readonly limits: PostgresLimits
  readonly scheduler: Scheduler
  readonly log: Log
  /** Brings the tables up to date, while no process can change anything. */
  readonly migrate: (client: Client) => Promise<void>
  readonly onLost: (refusal: StoreTakenOverRefusal) => void
}

/** @throws {StoreInUseRefusal} another process has the database */
export async function claimStore ({ server, limits, scheduler, log, migrate, onLost }: ClaimParts): Promise<StoreClaim> {
  const first = await server.connect()
  const term = await begin(first).catch(async (cause: unknown) => {
    await leave(first)
    throw cause
  })
  let state: 'held' | 'away' | 'lost' | 'closed' = 'held'
  let holder = first
  let retry: Cancel = () => {}
  let retryMs = firstRetryMs
  let isAsking = false
  let lastTrouble: string | undefined
  watch(first)
  const stopBeating = scheduler.every(limits.beatMs, doubt)

  async function begin (client: Client): Promise<number> {
    if (!await takeLock(client, limits.patienceMs)) throw new StoreInUseRefusal(server.label)
    // A transaction of a process that hangs may have the gate, for so long.
    await client.query(`SET lock_timeout = ${limits.idleTransactionMs + limits.statementMs}; SELECT pg_advisory_lock(${gate}); SET lock_timeout = 0`)
    await migrate(client)
    const begun = await beginTerm(client)
    await client.query(`SELECT pg_advisory_unlock(${gate})`)
    return begun
  }

  /** @returns whether the lock is ours now */
  async function takeLock (client: Client, withinMs: number): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += askEveryMs) {
      const { rows: [row] } = await client.query<{ readonly taken: boolean }>(`SELECT pg_try_advisory_lock(${processLock}) AS taken`)
      if (row?.taken === true) return true
      if (waitedMs >= withinMs) return false
      await after(askEveryMs)
    }
  }

  function watch (client: Client) {
    client.on('end', () => gone(client))
  }

  function gone (client: Client) {
    if (client !== holder || state !== 'held') return
    state = 'away'
    log.warn({ database: server.label }, 'the database is away; leases stay as they are until it is back')
    retryMs = firstRetryMs
    lastTrouble = undefined
    tryAgain()
  }

  /** A server can go without a word, so it is asked. */
  function doubt () {
    if (state !== 'held' || isAsking) return
    isAsking = true
    const asked = holder
    const silence = after(limits.beatMs).then(() => { throw new Error('the server does not answer') })
    Promise.race([asked.query('SELECT 1'), silence]).catch(() => {
      breakOff(asked)
      gone(asked)
    }).finally(() => { isAsking = false })
  }

  function tryAgain () {
    takeBack().catch((fault: unknown) => {
      if (state !== 'away') return
      const trouble = String(fault)
      if (trouble !== lastTrouble) log.warn({ database: server.label, err: fault }, 'the database is still away')
      lastTrouble = trouble
      retry = scheduler.after(retryMs, tryAgain)
      retryMs = Math.min(retryMs * 2, longestRetryMs)
    })
  }

  async function takeBack () {
    const client = await server.connect()
    try {
      const isTaken = await takeLock(client, 0)
      assertTerm(await termOf(client))
      if (!isTaken) throw new Error('the server has not missed the former connection yet')
    } catch (cause) {
      breakOff(client)
      throw cause
    }
    // It may have been closed meanwhile.
    if (state !== 'away') {
      breakOff(client)
      return
    }
    holder = client
    state = 'held'
    watch(client)
    log.info({ database: server.label }, 'the database is back')
  }

  function assertTerm (found: number) {
    if (found === term) return
    const refusal = new StoreTakenOverRefusal(server.label)
    if (state === 'held' || state === 'away') {
      state = 'lost'
      onLost(refusal)
    }
    throw refusal
  }

  /** Tells the server, and does not wait long for one that may not be there. */
  async function leave (client: Client) {
    await Promise.race([client.end().catch(() => {}), after(farewellMs)])
    breakOff(client)
  }

  function after (delayMs: number): Promise<void> {
    return new Promise((resolve) => { scheduler.after(delayMs, resolve) })
  }

  return {
    get isHeld () { return state === 'held' },

    assertHeld () {
      if (state === 'lost') throw new StoreTakenOverRefusal(server.label)
      if (state !== 'held') throw new StoreUnavailableRefusal(undefined)
    },

    assertTerm,
    doubt,

    async close () {
      state = 'closed'
      stopBeating()
      retry()
      await leave(holder)
    }
  }
}

function breakOff (client: Client) {
  client.connection.stream.destroy()
}

async function termOf (client: Client): Promise<number> {
  const { rows: [row] } = await client.query<{ readonly term: string }>('SELECT term FROM claim')
  return Number(row?.term)
}

async function beginTerm (client: Client): Promise<number> {
  const { rows: [row] } = await client.query<{ readonly term: string }>(
    'INSERT INTO claim (id, term) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET term = claim.term + 1 RETURNING term'
  )
  return Number(row?.term)
}
