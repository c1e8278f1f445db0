import { z } from 'zod'
import { virtualSettings } from '../devices/virtual/virtual-settings.ts'
import { subscriptionSettings } from '../events/subscription-settings.ts'
import { leaseSettings } from '../leases/contract/lease-settings.ts'
import { legacySettings } from '../mcp/legacy-settings.ts'
import { telemetrySettings } from '../telemetry/telemetry-settings.ts'
import { storeSettings } from '../store/store-settings.ts'
import { logSettings } from './log-settings.ts'
import { serverSettings } from './server-settings.ts'

/**
 * Everything that can be set, composed from the settings of the rooms.
 *
 * The names of flags and variables, `docs/configuration.md` and `mooring.schema.json` all come
 * from here (`setting.ts`).
 */
export const configSchema = z.strictObject({
  stateDir: z.string().min(1).optional()
    .describe('Folder for what mooring keeps: its database, the token and the sealing keys. Default: $XDG_STATE_HOME/mooring, else ~/.local/state/mooring; on Windows %LOCALAPPDATA%\\mooring. That one is closed to other users at each start; one that you name keeps its permissions. In a folder of another user that this one may write to, as a Kubernetes volume is, a folder mooring of its own is used.'),
  server: serverSettings.prefault({}),
  log: logSettings.prefault({}),
  store: storeSettings.prefault({}),
  legacy: legacySettings.prefault({}),
  telemetry: telemetrySettings.prefault({}),
  subscriptions: subscriptionSettings.prefault({}),
  leases: leaseSettings.prefault({}),
  devices: z.strictObject({ virtual: virtualSettings.prefault({}) }).prefault({})
})
