import { z } from 'zod'
import { deviceKinds, platforms } from '../devices/device-types.ts'
import { quote, word } from '../text/quote.ts'
import { deviceStates, type PooledDevice } from '../leases/contract/lease-manager.ts'
import type { Principal } from '../protocol/principal.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { deviceName, endsAt } from './lease-data.ts'
import { page } from './page.ts'
import { isMine, pooledDeviceData } from './pooled-device-data.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'

/** The tool that looks at the pool of phones. */
export function createPoolTools ({ leases }: Pick<DeviceToolParts, 'leases'>): ToolDefinition[] {
  const listDevices = defineTool({
    name: 'listDevices',
    title: 'List devices',
    description:
      'Lists the phones of the pool with platform, model, state, and why one cannot be had. ' +
      'Phones you hold are marked mine. Use it to choose; acquireDevice takes a free one even without it.',
    input: z.strictObject({
      state: z.enum(['all', ...deviceStates]).default('all'),
      platform: z.enum(platforms).optional(),
      kind: z.enum(deviceKinds).optional(),
      labels: z.array(z.string().min(1).max(64)).max(16).optional().describe('All of these'),
      limit: z.int().min(1).max(200).default(50),
      cursor: z.string().max(128).optional().describe('`next` of the page before')
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run ({ state, platform, kind, labels = [], limit, cursor }, { principal }) {
      const whole = await leases.devices()
      const wanted = whole.filter(({ description, ...device }) => {
        return (state === 'all' || device.state === state) &&
          (platform === undefined || description.platform === platform) &&
          (kind === undefined || description.kind === kind) &&
          labels.every((label) => description.labels.includes(label))
      })
      const { items, next } = page(wanted, { limit, cursor, keyOf: ({ description }) => description.id, whole })
      const devices = items.map((device) => pooledDeviceData(device, principal))
      const lines = items.map((device) => pooledLine(device, principal))
      if (lines.length === 0) lines.push(cursor === undefined ? 'No device of the pool is like that.' : 'There are no more.')
      if (next !== undefined) lines.push(`(more: call again with cursor ${quote(next)})`)
      return {
        content: [{ type: 'text', text: lines.join('\n') }],
        structuredContent: { devices, total: wanted.length, ...(next === undefined ? {} : { next }) }
      }
    }
  })

  return [listDevices]
}

function pooledLine (device: PooledDevice, principal: Principal): string {
  const { description, state, reason, lease } = device
  const labels = description.labels.map(word)
  return [
    deviceName(description),
    state,
    ...(lease !== undefined && isMine(device, principal) ? [`mine until ${endsAt(lease)}`] : []),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(',')}`]),
    ...(reason === undefined ? [] : [quote(reason, 200)])
  ].join(' ')
}
