/**
 * Reads and writes of one SQLite file. What the file or its disk refuses becomes a refusal, and the
 * health of the store hears of it.
 */
import type { Database } from 'better-sqlite3'
import type { ChangeRows } from '../../leases/cleanup/change-rows.ts'
import type { LeaseRows } from '../../leases/contract/lease-rows.ts'
import { StoreNotWritableRefusal } from '../../leases/contract/store-not-writable.ts'
import type { Log } from '../../leases/log.ts'
import { Refusal } from '../../refusals/refusal.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { createHealthWatch, type HealthWatch } from '../store-health.ts'
import type { FileIdentity } from './file-identity.ts'
import { readFault, writeFault } from './sqlite-faults.ts'

/** Pages of the log and of the file: a little more than a grant takes. */
const pagesOfATry = 16

export interface SqliteWork extends Pick<HealthWatch, 'health' | 'stop'> {
  /** @throws {StoreUnavailableRefusal} */
  read<T> (work: () => Promise<T>): Promise<T>
  /** @throws {StoreNotWritableRefusal} also where the file is not the one that was opened: a write to it would be lost */
  write<T> (work: () => Promise<T>): Promise<T>
}

export function createSqliteWork ({ client, identity, scheduler, log }: {
  readonly client: Database
  readonly identity: FileIdentity
  readonly scheduler: Scheduler
  readonly log: Log
}): SqliteWork {
  const tryWrite = idleWrite(client)
  const rows = ['devices', 'leases'].map((table) => client.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`))
  const watch = createHealthWatch({
    read: () => reading(async () => rows.map((row) => row.get())),
    write: () => writing(async () => tryWrite()),
    scheduler,
    log
  })

  async function reading<T> (work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      throw readFault(cause)
    }
  }

  async function writing<T> (work: () => Promise<T>): Promise<T> {
    const problem = identity.problem()
    if (problem !== undefined) throw new StoreNotWritableRefusal(problem)
    try {
      return await work()
    } catch (cause) {
      throw writeFault(cause)
    }
  }

  async function told<T> (work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (cause) {
      if (cause instanceof Refusal) watch.failed(cause)
      throw cause
    }
  }

  return {
    health: watch.health,
    stop: watch.stop,
    read: (work) => told(reading(work)),

    async write (work) {
      const done = await told(writing(work))
      watch.wrote()
      return done
    }
  }
}

/**
 * Writes as a grant does, and changes nothing: pages are added to the file and given back, and others
 * are written to the log, the last one down to the disk.
 */
function idleWrite (client: Database): () => void {
  const addPages = client.prepare("INSERT INTO audit (at_ms, event, device_id, reason) VALUES (0, 'probe', '', zeroblob(?))")
  const addAndGiveBack = client.transaction((bytes: number) => {
    addPages.run(bytes)
    throw givenBack
  })

  return () => {
    try {
      addAndGiveBack.immediate(pagesOfATry * 4_096)
    } catch (cause) {
      if (cause !== givenBack) throw cause
    }
    client.pragma('synchronous = NORMAL')
    try {
      // Each is a commit of its own, so each is a page of the log.
      for (let page = 1; page < pagesOfATry; page++) client.pragma('user_version = 0')
    } finally {
      client.pragma('synchronous = FULL')
    }
    client.pragma('user_version = 0')
  }
}

const givenBack = new Error('what was added is given back')

/** The rows of leases, guarded. */
export function guardedLeaseRows (rows: LeaseRows, { read, write }: SqliteWork): LeaseRows {
  return {
    addMissing: (devices) => write(() => rows.addMissing(devices)),
    transact: (scope, decide) => write(() => rows.transact(scope, decide)),
    occupancies: () => read(() => rows.occupancies()),
    lease: (handle) => read(() => rows.lease(handle)),
    liveLeases: () => read(() => rows.liveLeases()),
    boundLease: (key) => read(() => rows.boundLease(key)),
    purgeEnded: (untilMs, most) => write(() => rows.purgeEnded(untilMs, most)),
    audit: (page) => read(() => rows.audit(page)),
    purgeAudit: (untilMs, most) => write(() => rows.purgeAudit(untilMs, most)),
    noteAlive: (atMs) => write(() => rows.noteAlive(atMs)),
    aliveAtMs: () => read(() => rows.aliveAtMs())
  }
}

/** The rows of changes, guarded. */
export function guardedChangeRows (rows: ChangeRows, { read, write }: SqliteWork): ChangeRows {
  return {
    add: (row, mayAdd) => write(() => rows.add(row, mayAdd)),
    ofDevice: (deviceId) => read(() => rows.ofDevice(deviceId)),
    remove: (id) => write(() => rows.remove(id))
  }
}
