/**
 * All device tools, in the order they are published: the pool first, because an agent starts
 * there, then looking, then acting. The order is fixed, and the list is the same for everybody
 * and whatever is leased (LIST-02, POOL-02).
 *
 * None has an `outputSchema`: nearly all answer with a screen, so its schema would stand in the
 * list a dozen times, and no agent needs it to read one.
 */
import { createActTools } from './act.ts'
import { createAppTools } from './apps.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { createDeviceUses } from './device-use.ts'
import { createLookTools } from './look.ts'
import { createPoolTools } from './pool.ts'
import { createResetTools } from './reset.ts'
import { createSwipeTools } from './swipe.ts'
import { createTextTools } from './text.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { createWaitTools } from './wait.ts'

/** The tools over one pool. */
export function createDeviceTools (
  parts: Omit<DeviceToolParts, 'uses'>
): readonly ToolDefinition[] {
  const all = { ...parts, uses: createDeviceUses(parts) }
  return [
    ...createPoolTools(all),
    ...createLookTools(all),
    ...createWaitTools(all),
    ...createActTools(all),
    ...createSwipeTools(all),
    ...createTextTools(all),
    ...createAppTools(all),
    ...createResetTools(all)
  ]
}
