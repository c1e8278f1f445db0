import type { DeviceToolParts } from '../device-tool-parts.ts'
import type { ToolDefinition } from '../tool-definition.ts'
import { createAppStateTools } from './app-state-tools.ts'
import { createFileTools } from './file-tools.ts'
import { createSettingTools } from './setting-tools.ts'

/** Tools for what is on a phone rather than on its screen. Whatever they change is undone when the lease is released. */
export function createDeviceStateTools (parts: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  return [...createSettingTools(parts), ...createAppStateTools(parts), ...createFileTools(parts)]
}
