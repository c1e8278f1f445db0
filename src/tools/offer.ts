import { createScreenMemory } from '../devices/screen/screen-memory.ts'
import type { EventBus, ListName } from '../events/event-bus.ts'
import type { LeaseManager } from '../leases/contract/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { createDeviceResources } from './device-resources.ts'
import { createDeviceTools } from './device-tools.ts'
import { createDeviceUses } from './device-use.ts'
import { publishScreenChange } from './pool-changes.ts'
import type { PromptDefinition } from './prompt-definition.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { createScreenResource } from './screen-resource.ts'
import { createTesterPrompts } from './tester-prompts.ts'
import type { OfferedTool } from './tool-definition.ts'

/** What agents are offered. */
export interface Offer {
  readonly tools: readonly OfferedTool[]
  readonly resources: readonly ResourceDefinition[]
  readonly prompts: readonly PromptDefinition[]
  /**
   * The lists whose changes are published on the bus by what the offer is made of. A client is
   * promised word of these and of no other.
   */
  readonly tells?: readonly ListName[]
}

/** Everything that is offered over one pool of phones. */
export function createOffer ({ leases, bus, clock, scheduler }: {
  readonly leases: LeaseManager
  readonly bus: EventBus
  readonly clock: Clock
  readonly scheduler: Scheduler
}): Offer {
  // One memory for tools and resources, so that a ref means the same in both.
  const screens = createScreenMemory()
  const deviceUses = createDeviceUses({ leases, screens, clock, onScreenChange: (lease) => publishScreenChange(bus, lease) })
  return {
    tools: createDeviceTools({ leases, screens, deviceUses, clock, scheduler }),
    resources: createDeviceResources({ leases, screen: createScreenResource(deviceUses), uses: deviceUses }),
    prompts: createTesterPrompts({
      suggestApps: async ({ signal }) => await leases.homeApps(signal),
      suggestDevices: async () => (await leases.devices()).map(({ description }) => description.id)
    }),
    // Each device is a resource, and devices come and go (`pool-changes.ts`).
    tells: ['resources']
  }
}
