import type { ScreenMemory } from '../devices/screen/screen-memory.ts'
import type { LeaseManager } from '../leases/contract/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { CallUse, DeviceUses } from './device-use.ts'
import type { LeaseChoice } from './lease-choice.ts'

/** What the device tools are made from. */
export interface DeviceToolParts {
  readonly leases: LeaseManager
  /** Shared with whatever else looks at the same phones, so that refs agree. */
  readonly screens: ScreenMemory
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly uses: DeviceUses<CallUse>
  /** For tools that are about a lease and not about its phone. */
  readonly choice: LeaseChoice
}
