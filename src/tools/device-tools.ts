/**
 * All device tools, in the order they are published: the pool first, because an agent starts
 * there, then looking, then acting. The order is fixed, and the list is the same for every
 * caller and whatever is leased (LIST-02, POOL-02).
 *
 * None has an `outputSchema`: nearly all answer with a screen, so its schema would stand in the
 * list a dozen times, and no agent needs it to read one.
 */
import { createAcquireTools } from './acquire.ts'
import { createActTools } from './act.ts'
import { createAppTools } from './apps.ts'
import { createDeviceStateTools } from './device-state/device-state-tools.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { createCallUses, type DeviceUses, type UseRequest } from './device-use.ts'
import { createLeaseChoice } from './lease-choice.ts'
import { createLeaseTools } from './lease-tools.ts'
import { createLookTools } from './look.ts'
import { createPoolTools } from './pool.ts'
import { createResetTools } from './reset.ts'
import { createSwipeTools } from './swipe.ts'
import { createTextTools } from './text.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { createWaitTools } from './wait.ts'

/** The tools over one pool. */
export function createDeviceTools (
  { deviceUses, ...parts }: Omit<DeviceToolParts, 'uses' | 'choice'> & {
    /** Shared with whatever else uses the same leases. */
    readonly deviceUses: DeviceUses<UseRequest>
  }
): readonly ToolDefinition[] {
  const choice = createLeaseChoice(parts)
  const all = { ...parts, choice, uses: createCallUses(deviceUses, { choice, clock: parts.clock }) }
  return [
    ...createPoolTools(all),
    ...createAcquireTools(all),
    ...createLeaseTools(all),
    ...createLookTools(all),
    ...createWaitTools(all),
    ...createActTools(all),
    ...createSwipeTools(all),
    ...createTextTools(all),
    ...createAppTools(all),
    ...createDeviceStateTools(all),
    ...createResetTools(all)
  ]
}
