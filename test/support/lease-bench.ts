import { fixedDevices, type DeviceSource } from '../../src/devices/device-source.ts'
import { createLeaseManager } from '../../src/leases/create-lease-manager.ts'
import type { ChangeLedger } from '../../src/leases/cleanup/change-ledger.ts'
import type { DeviceSelector, LeaseManager, PoolChange } from '../../src/leases/contract/lease-manager.ts'
import { leaseSettings, type LeaseSettings } from '../../src/leases/contract/lease-settings.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import type { Log } from '../../src/leases/log.ts'
import type { Ids } from '../../src/runtime/ids.ts'
import { fakeDriver, type FakeDriver } from './fake-driver.ts'
import { manualTime, type ManualTime } from './manual-time.ts'
import { memoryChangeLedger } from './memory-change-ledger.ts'
import { memoryLeaseStore } from './memory-lease-store.ts'
import { sequenceIds } from './sequence-ids.ts'

export const alice = { principal: 'issuer\u0000alice' }
export const bob = { principal: 'issuer\u0000bob' }
export const ttlMs = 600_000

export interface LeaseBench {
  readonly leases: LeaseManager
  readonly phones: readonly FakeDriver[]
  /** The first of them. */
  readonly phone: FakeDriver
  readonly store: LeaseStore
  readonly ledger: ChangeLedger
  readonly time: ManualTime
  /** Every line logged, as text. */
  readonly lines: readonly string[]
  /** What was told to have changed since the start, in order. */
  readonly changes: PoolChange[]
  /** Acquires for a caller who stays. */
  acquire (holder?: { readonly principal: string }, selector?: DeviceSelector): ReturnType<LeaseManager['acquire']>
  /** A manager as a process started later would make it, over the same store and time. */
  restarted (phones?: readonly FakeDriver[]): LeaseManager
  /** What `devices` says of one device. */
  stateOf (deviceId?: string): Promise<string | undefined>
}

/** Chance that never varies, so that a wait is as long as it can be. */
function unvaryingIds (): Ids {
  return { ...sequenceIds(), bytes: (size) => Buffer.alloc(size) }
}

/** A manager over fake phones, a store and manual time; started unless told otherwise. */
export async function leaseBench ({
  phones = [fakeDriver()], store = memoryLeaseStore(), ledger = memoryChangeLedger(store), time = manualTime(Date.UTC(2026, 0, 1)), ids = unvaryingIds(), settings = {}, sources, start = true
}: {
  readonly phones?: readonly FakeDriver[]
  readonly store?: LeaseStore
  readonly ledger?: ChangeLedger
  readonly time?: ManualTime
  readonly ids?: Ids
  readonly settings?: Partial<LeaseSettings>
  /** In place of one that has the phones. */
  readonly sources?: readonly DeviceSource[]
  readonly start?: boolean
} = {}): Promise<LeaseBench> {
  const lines: string[] = []
  const changes: PoolChange[] = []
  const write = (fields: object, message: string) => { lines.push(`${message} ${JSON.stringify(fields)}`) }
  const log: Log = { info: write, warn: write, error: write }

  function restarted (drivers?: readonly FakeDriver[]): LeaseManager {
    return createLeaseManager({
      store,
      ledger,
      sources: drivers === undefined ? sources ?? [fixedDevices(phones)] : [fixedDevices(drivers)],
      clock: time.clock,
      scheduler: time.scheduler,
      ids,
      settings: leaseSettings.parse(settings),
      log,
      onChange: (change) => { changes.push(change) }
    })
  }

  const [phone] = phones
  if (phone === undefined) throw new Error('a bench needs a phone')
  const leases = restarted()
  if (start) await leases.start()
  changes.splice(0)
  return {
    leases,
    phones,
    phone,
    store,
    ledger,
    time,
    lines,
    changes,
    restarted,
    acquire: (holder = alice, selector = {}) => leases.acquire({ holder, selector, signal: new AbortController().signal }),
    stateOf: async (deviceId = phone.description.id) => (await leases.devices()).find(({ description }) => description.id === deviceId)?.state
  }
}
