/**
 * How a database is: whether a grant would succeed now.
 *
 * That a database answers says nothing of its disk, and an idle gateway would learn of a full
 * one from its first caller. So the question is answered by a try: a row is read, and as much
 * is written as a grant writes. An answer counts for a second, or until an operation fails; probes
 * of any number therefore cost one try a second.
 */
import type { Log } from '../leases/log.ts'
import { StoreNotWritableRefusal } from '../leases/contract/store-not-writable.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { StoreUnavailableRefusal } from './store-refusals.ts'

export interface StoreHealth {
  /** Whether rows can be read. */
  readonly isAnswering: boolean
  /** Whether a change can be recorded. */
  readonly isWritable: boolean
  /** Why not, as a sentence; undefined when all is well. */
  readonly problem: string | undefined
  /** The same for a caller that is refused for it. */
  readonly refusal?: Refusal | undefined
}

export interface HealthWatch {
  health (): Promise<StoreHealth>
  /** An operation has failed for want of the database: what was found before counts no more. */
  failed (refusal: Refusal): void
  /** A change was recorded. */
  wrote (): void
  stop (): void
}

const countsForMs = 1_000
const well: StoreHealth = { isAnswering: true, isWritable: true, problem: undefined }

export function createHealthWatch ({ read, write, limitMs, scheduler, log }: {
  /** Reads a row. @throws {Refusal} the database cannot be read */
  readonly read: () => Promise<unknown>
  /** Writes about as much as a grant does, and changes nothing. @throws {Refusal} the database cannot be written to */
  readonly write: () => Promise<unknown>
  /** How long a try may take; without it as long as it takes. */
  readonly limitMs?: number
  readonly scheduler: Scheduler
  readonly log: Log
}): HealthWatch {
  let lastFound: Promise<StoreHealth> | undefined
  let forget: Cancel = () => {}
  let problem: string | undefined
  let isStopped = false

  async function tryNow (): Promise<StoreHealth> {
    try {
      await inTime(async () => {
        await read()
        await write()
      })
      wrote()
      return well
    } catch (cause) {
      const refusal = note(cause)
      return { isAnswering: refusal instanceof StoreNotWritableRefusal, isWritable: false, problem: refusal?.message ?? 'The database does not answer.', refusal }
    }
  }

  /** A database can hang: who asks how it is must not hang with it. */
  async function inTime (attempt: () => Promise<void>): Promise<void> {
    if (limitMs === undefined) return await attempt()
    let cancel: Cancel = () => {}
    const late = new Promise<never>((_resolve, reject) => {
      cancel = scheduler.after(limitMs, () => reject(new StoreUnavailableRefusal(undefined, 'it does not answer in time')))
    })
    await Promise.race([attempt(), late]).finally(() => cancel())
  }

  /** A change that succeeds counts as much as one that fails. */
  function wrote () {
    if (problem === undefined) return
    problem = undefined
    drop()
    log.info({}, 'the database can be written to again')
  }

  function drop () {
    forget()
    lastFound = undefined
  }

  /** Logs what is wrong, once for as long as it is the same. */
  function note (cause: unknown): Refusal | undefined {
    const refusal = cause instanceof Refusal ? cause : undefined
    const found = refusal?.message ?? String(cause)
    if (found !== problem) log.error({ code: refusal?.code, err: refusal?.cause ?? cause }, 'the database fails')
    problem = found
    return refusal
  }

  return {
    async health () {
      if (lastFound === undefined) {
        const found = tryNow()
        lastFound = found
        await found
        forget()
        if (lastFound === found && !isStopped) forget = scheduler.after(countsForMs, drop)
        else if (lastFound === found) lastFound = undefined
        return await found
      }
      return await lastFound
    },

    failed (refusal) {
      note(refusal)
      drop()
    },

    wrote,

    stop () {
      isStopped = true
      drop()
    }
  }
}
