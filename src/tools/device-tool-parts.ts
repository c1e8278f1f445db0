import type { ScreenMemory } from '../devices/screen/screen-memory.ts'
import type { Lease } from '../leases/lease.ts'
import type { LeaseManager } from '../leases/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { DeviceUses } from './device-use.ts'

/** What the device tools are made from. */
export interface DeviceToolParts {
  readonly leases: LeaseManager
  /** Shared with whatever else looks at the same phones, so that refs agree. */
  readonly screens: ScreenMemory
  /** Told when the phone under a lease shows, or may show, something else. */
  readonly onScreenChange: (lease: Lease) => void
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly uses: DeviceUses
}
