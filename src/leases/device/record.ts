import type { Cancel } from '../../runtime/scheduler.ts'
import type { CleanupLevel } from '../cleanup/cleanup-level.ts'
import type { LeaseContext } from '../context.ts'
import { isLive, type Lease } from '../contract/lease.ts'
import type { LeaseEvent, Occupancy } from '../contract/lease-machine.ts'
import type { PoolChange } from '../contract/lease-manager.ts'
import type { LeaseStore } from '../contract/lease-store.ts'
import { inTurn, type Mailbox } from './mailbox.ts'

const afterFaultMs = 5_000

/**
 * What is recorded of one device, at hand, and the one way in which that changes.
 *
 * The store has the record; this is a copy. It spares the queue a read for each look at the pool,
 * and is never behind by more than the change under way. Each change takes its turn in the mailbox
 * of the device: one transaction in the store, and then the copy.
 *
 * A change that failed may have been made or not. The copy is in doubt then, and is read again
 * before the next change, or 5 s later, until that succeeds. A change that did not fit shows that
 * the copy was wrong, and it is read again at once.
 */
export interface LaneRecord {
  readonly occupancy: Occupancy
  readonly liveLease: Lease | undefined
  /** @returns undefined: it did not fit */
  change (event: LeaseEvent, level?: CleanupLevel): Promise<Occupancy | undefined>
  /** As `change`, for work that has its turn. */
  changeNow (event: LeaseEvent): Promise<Occupancy | undefined>
  readonly steps: ChangeSteps
  /** Reads nothing again by itself any more. */
  stop (): void
}

/** The steps around the transaction in the store, for a change to several devices. They are taken in the turn of all of them. */
export interface ChangeSteps {
  /** Reads the copy again if it is in doubt. */
  begin (): Promise<void>
  /** Takes over what the change has made of the device. @returns what is to be announced */
  note (event: LeaseEvent, after: Occupancy): PoolChange | undefined
  /** Tells of a change, once all that were made together are noted. */
  announce (change: PoolChange): void
  /** The change did not fit: takes over what the store says. */
  readAgain (): Promise<void>
  /** The change has failed. */
  doubt (): void
}

/** The copy is another one. */
export interface RecordChange {
  /** The lease that was live before. */
  readonly before: Lease | undefined
  /** That lease as it is now, if it is over. */
  readonly ended: Lease | undefined
  /** How the device is to be cleaned, if the change said so. */
  readonly level: CleanupLevel | undefined
}

export function createRecord ({ context, store, mailbox, occupancy: enrolled, onChange, announce }: {
  readonly context: LeaseContext
  readonly store: LeaseStore
  readonly mailbox: Mailbox
  readonly occupancy: Occupancy
  /** Called in the instant in which the copy has changed; must not throw. */
  readonly onChange: (change: RecordChange) => void
  readonly announce: (change: PoolChange) => void
}): LaneRecord {
  const { scheduler, inBackground } = context
  const deviceId = enrolled.device.id
  let occupancy = enrolled
  let isInDoubt = false
  let cancelReading: Cancel | undefined
  let stopped = false

  function liveLease (): Lease | undefined {
    const { lease } = occupancy
    return lease !== undefined && isLive(lease) ? lease : undefined
  }

  function takeOver ({ device, lease }: Occupancy, former: Lease | undefined, level: CleanupLevel | undefined) {
    const before = liveLease()
    isInDoubt = false
    // A lease that has left its device behind is no part of the record any more.
    occupancy = { device, lease: lease?.state === 'ended' ? undefined : lease }
    const isOver = before !== undefined && liveLease()?.handle !== before.handle
    onChange({ before, ended: isOver ? former : undefined, level })
  }

  function note (event: LeaseEvent, after: Occupancy, level?: CleanupLevel): PoolChange | undefined {
    const stateBefore = occupancy.lease?.state
    takeOver(after, after.lease, level)
    if ((event.type === 'extend' || event.type === 'confirm') && stateBefore === after.lease?.state) return undefined
    return { deviceId, ended: event.type === 'end' ? after.lease : undefined }
  }

  async function readAgain () {
    const found = (await store.occupancies()).find(({ device }) => device.id === deviceId)
    if (found === undefined) throw new Error(`device ${deviceId} is not recorded any more`)
    const before = occupancy
    const live = liveLease()
    const former = live !== undefined && live.handle !== found.lease?.handle ? await store.lease(live.handle) : found.lease
    takeOver(found, former, undefined)
    if (isShownAlike(before, occupancy)) return
    announce({ deviceId, ended: live !== undefined && liveLease()?.handle !== live.handle ? former : undefined })
  }

  async function changeNow (event: LeaseEvent, level?: CleanupLevel): Promise<Occupancy | undefined> {
    if (isInDoubt) await readAgain()
    let changed: Occupancy | undefined
    try {
      changed = await store.change(event)
    } catch (fault) {
      doubt()
      throw fault
    }
    if (changed === undefined) {
      await readAgain()
      return undefined
    }
    const change = note(event, changed, level)
    if (change !== undefined) announce(change)
    return changed
  }

  function doubt () {
    isInDoubt = true
    if (!stopped) cancelReading ??= scheduler.after(afterFaultMs, settleDoubt)
  }

  function settleDoubt () {
    cancelReading = undefined
    const settled = inTurn([mailbox], async () => {
      try {
        if (isInDoubt && !stopped) await readAgain()
      } catch (fault) {
        doubt()
        throw fault
      }
    })
    inBackground(settled, 'record of device could not be read again', { device: deviceId })
  }

  return {
    get occupancy () { return occupancy },
    get liveLease () { return liveLease() },

    changeNow,
    change: (event, level) => inTurn([mailbox], () => changeNow(event, level)),

    steps: {
      async begin () {
        if (isInDoubt) await readAgain()
      },
      note,
      announce,
      readAgain,
      doubt
    },

    stop () {
      stopped = true
      cancelReading?.()
    }
  }
}

function isShownAlike (one: Occupancy, other: Occupancy): boolean {
  const [holds, otherHolds] = [one, other].map(({ device }) => device.holds.map(({ kind, atMs }) => `${kind} ${atMs}`).join())
  return one.device.state === other.device.state && holds === otherHolds &&
    one.lease?.handle === other.lease?.handle && one.lease?.state === other.lease?.state
}
