import { fenceDriver } from '../../src/devices/fenced-driver.ts'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { CleanupLevel } from '../../src/leases/cleanup/cleanup-level.ts'
import type { ChangeLedger } from '../../src/leases/cleanup/change-ledger.ts'
import { recordingDriver } from '../../src/leases/cleanup/recording-driver.ts'
import { createContext } from '../../src/leases/context.ts'
import { createCleaning, type Cleaning, type Cleanup } from '../../src/leases/device/cleaning.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import { grantEvent } from './lease-events.ts'
import { manualTime, type ManualTime } from './manual-time.ts'
import { memoryChangeLedger } from './memory-change-ledger.ts'
import { memoryLeaseStore } from './memory-lease-store.ts'
import { sequenceIds } from './sequence-ids.ts'

export interface CleanupBench {
  readonly time: ManualTime
  readonly store: LeaseStore
  readonly ledger: ChangeLedger
  readonly cleaning: Cleaning
  readonly lines: readonly string[]
  /** Grants the phone and hands out what work under the lease gets. */
  lease (): Promise<{ readonly driver: DeviceDriver, readonly command: { readonly fence: number, readonly signal: AbortSignal } }>
  /** Ends the lease and cleans up after it. */
  release (level?: CleanupLevel): Promise<Cleanup>
  /** Kinds and targets that are not undone yet, the newest first. */
  left (): Promise<readonly string[]>
  deviceState (): Promise<{ readonly state: string, readonly reason: string | undefined } | undefined>
}

/** One phone under leases, cleanup and a ledger, without a manager. */
export async function cleanupBench (
  phone: DeviceDriver,
  { time = manualTime(Date.UTC(2026, 0, 1)), store = memoryLeaseStore(), ledger = memoryChangeLedger(store) }: {
    readonly time?: ManualTime
    readonly store?: LeaseStore
    readonly ledger?: ChangeLedger
  } = {}
): Promise<CleanupBench> {
  const deviceId = phone.description.id
  const fenced = fenceDriver(phone)
  const recording = recordingDriver(fenced, ledger)
  const ids = sequenceIds()
  const lines: string[] = []
  const write = (fields: object, message: string) => { lines.push(`${message} ${JSON.stringify(fields)}`) }
  const { nowMs } = time.clock
  const cleaning = createCleaning({
    context: createContext({ nowMs, scheduler: time.scheduler, ids: { ...ids, bytes: (size) => Buffer.alloc(size) }, log: { info: write, warn: write, error: write } }),
    ledger,
    deviceId,
    driver: () => fenced,
    change: (event) => store.change(event),
    usualLevel: 'apps',
    limitMs: 10_000
  })
  await store.enroll([deviceId])

  async function occupancy () {
    return (await store.occupancies()).find(({ device }) => device.id === deviceId)
  }

  return {
    time,
    store,
    ledger,
    cleaning,
    lines,

    async lease () {
      const granted = await store.change(grantEvent(deviceId, ids.lease(), { nowMs: time.clock.nowMs() }))
      if (granted?.lease === undefined) throw new Error('the phone is not free')
      fenced.raiseFence(granted.lease.fence)
      return {
        driver: recording,
        command: { fence: granted.lease.fence, signal: new AbortController().signal }
      }
    },

    async release (level) {
      const lease = (await occupancy())?.lease
      if (lease === undefined) throw new Error('nobody has the phone')
      const ended = await store.change({ type: 'end', deviceId, handle: lease.handle, fence: lease.fence, reason: 'released', nowMs: time.clock.nowMs() })
      if (ended === undefined) throw new Error('the lease had ended')
      fenced.raiseFence(ended.device.fence)
      return await cleaning.start(ended.device, level)
    },

    left: async () => (await ledger.changesOf(deviceId)).map(({ change: { kind, target } }) => `${kind} ${target}`.trim()),
    deviceState: async () => (await occupancy())?.device
  }
}
