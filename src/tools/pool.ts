import { z } from 'zod'
import { ensureNotCancelled } from '../devices/cancellation.ts'
import { deviceKinds, platforms, type DeviceDescription } from '../devices/device-driver.ts'
import { quote, word } from '../devices/screen/quote.ts'
import type { Lease } from '../leases/lease.ts'
import { deviceStates, type PooledDevice } from '../leases/lease-manager.ts'
import { minTtlMs } from '../leases/lease-settings.ts'
import type { Principal } from '../protocol/principal.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { isoTime } from './iso-time.ts'
import { leaseInput } from './lease-input.ts'
import { page } from './page.ts'
import { deviceData, isMine, pooledDeviceData } from './pooled-device-data.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'

const labelsInput = z.array(z.string().min(1).max(64)).max(16).optional().describe('All of these')
const platformInput = z.enum(platforms).optional()
const kindInput = z.enum(deviceKinds).optional()
const ttlInput = z.int().min(minTtlMs).max(86_400_000).optional()

/** Tools that look at the pool of phones and hold leases on them. */
export function createPoolTools ({ leases, screens }: Pick<DeviceToolParts, 'leases' | 'screens'>): ToolDefinition[] {
  const listDevices = defineTool({
    name: 'listDevices',
    title: 'List devices',
    description:
      'Lists the phones of the pool with platform, model and state: free, leased, cleaning, quarantined or offline. ' +
      'Phones you hold are marked mine. Use it to choose; acquireDevice takes a free one even without it.',
    input: z.strictObject({
      state: z.enum(['all', ...deviceStates]).default('all'),
      platform: platformInput,
      kind: kindInput,
      labels: labelsInput,
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

  const acquireDevice = defineTool({
    name: 'acquireDevice',
    title: 'Acquire a device',
    description:
      'Takes a free phone for your exclusive use and returns a lease handle; every device tool wants it as `lease`. ' +
      'Without arguments any free phone is taken. Each use extends the lease to a full ttlMs. ' +
      'Next: observe. When done: releaseDevice. With no phone free it refuses and says when to try again.',
    input: z.strictObject({
      // What decides which phone it can be is mirrored into headers, for routers in front.
      device: z.string().min(1).max(128).optional().meta({ description: 'Id from listDevices', 'x-mcp-header': 'Device' }),
      platform: platformInput.meta({ 'x-mcp-header': 'Platform' }),
      kind: kindInput,
      model: z.string().min(1).max(128).optional().describe('Glob, e.g. Pixel*'),
      labels: labelsInput,
      ttlMs: ttlInput.describe('How long it lasts without use'),
      purpose: z.string().max(200).optional().describe('What you need it for')
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run ({ ttlMs, purpose, ...selector }, { principal, signal }) {
      const holder = { principal: principal.key }
      const lease = await leases.acquire({
        holder,
        selector: withoutAbsent(selector),
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(purpose === undefined ? {} : { purpose }),
        signal
      })
      let description: DeviceDescription
      try {
        description = await describe(lease)
        ensureNotCancelled(signal)
      } catch (error) {
        // Nobody learns of this lease, so nobody would release it. If this fails too, it expires.
        await leases.release({ handle: lease.handle, holder }).catch(() => undefined)
        throw error
      }
      const expiresAt = isoTime(lease.expiresAtMs)
      return {
        content: [{
          type: 'text',
          text: [
            `Lease ${lease.handle} on ${deviceName(description)} until ${expiresAt}; each use extends it to ${lease.ttlMs} ms from then.`,
            'Pass it as `lease` to every device tool. Next: observe, then act. When you are done: releaseDevice.'
          ].join('\n')
        }],
        structuredContent: { ...leaseTerms(lease), device: deviceData(description) },
        undo: async () => { await leases.release({ handle: lease.handle, holder }) }
      }
    }
  })

  const renewLease = defineTool({
    name: 'renewLease',
    title: 'Renew a lease',
    description: 'Extends a lease to a full ttlMs from now. Only needed before a long pause: every device tool extends the lease it uses.',
    input: z.strictObject({ lease: leaseInput, ttlMs: ttlInput.describe('From now on; as before when absent') }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run ({ lease: handle, ttlMs }, { principal }) {
      const lease = await leases.renew({ handle, holder: { principal: principal.key }, ...(ttlMs === undefined ? {} : { ttlMs }) })
      return {
        content: [{ type: 'text', text: `The lease now lasts until ${isoTime(lease.expiresAtMs)}.` }],
        structuredContent: leaseTerms(lease)
      }
    }
  })

  const releaseDevice = defineTool({
    name: 'releaseDevice',
    title: 'Release a device',
    description:
      'Gives the phone back: stops its apps, undoes what was changed and ends the lease. Always call it when you are done. ' +
      'Returns what was cleaned. Releasing twice is no error.',
    input: z.strictObject({ lease: leaseInput }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run ({ lease: handle }, { principal }) {
      const { lease, cleaned, releasedNow } = await leases.release({ handle, holder: { principal: principal.key } })
      screens.forget(handle)
      const device = lease.deviceId
      const state = await stateAfter(lease)
      return {
        content: [{
          type: 'text',
          text: releasedNow
            ? `Released ${device}, which is now ${state}. Cleaned: ${cleaned.length === 0 ? 'nothing' : cleaned.map((phrase) => quote(phrase, 200)).join(', ')}.`
            : `The lease on ${device} had been released before.`
        }],
        structuredContent: { released: true, alreadyReleased: !releasedNow, cleaned, device, state }
      }
    }
  })

  const listLeases = defineTool({
    name: 'listLeases',
    title: 'List my leases',
    description: 'Lists the leases you hold, with their handles: use it to find a handle again, or to release what you forgot.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run (_input, { principal }) {
      const held = await leases.list({ principal: principal.key })
      return {
        content: [{ type: 'text', text: held.length === 0 ? 'You hold no lease.' : held.map(leaseLine).join('\n') }],
        structuredContent: { leases: held.map(leaseData) }
      }
    }
  })

  async function describe ({ deviceId }: Lease): Promise<DeviceDescription> {
    const device = (await leases.devices()).find(({ description }) => description.id === deviceId)
    if (device === undefined) throw new Error(`device ${deviceId} was leased and is not in the pool`)
    return device.description
  }

  async function stateAfter (lease: Lease): Promise<PooledDevice['state'] | 'gone'> {
    const device = (await leases.devices()).find(({ description }) => description.id === lease.deviceId)
    return device?.state ?? 'gone'
  }

  return [listDevices, acquireDevice, renewLease, releaseDevice, listLeases]
}

function deviceName ({ id, platform, osVersion, kind, model }: DeviceDescription): string {
  return `${word(id)} (${kind} ${platform} ${word(osVersion)}, ${quote(model, 60)})`
}

function pooledLine (device: PooledDevice, principal: Principal): string {
  const { description, state, reason } = device
  const labels = description.labels.map(word)
  return [
    deviceName(description),
    state,
    ...(isMine(device, principal) ? ['mine'] : []),
    ...(labels.length === 0 ? [] : [`labels ${labels.join(',')}`]),
    ...(reason === undefined ? [] : [quote(reason, 200)])
  ].join(' ')
}

function leaseTerms ({ handle, fence, expiresAtMs, ttlMs }: Lease): Record<string, unknown> {
  return { lease: handle, fence, expiresAt: isoTime(expiresAtMs), ttlMs }
}

function leaseData (lease: Lease): Record<string, unknown> {
  return {
    ...leaseTerms(lease),
    device: lease.deviceId,
    grantedAt: isoTime(lease.grantedAtMs),
    ...(lease.purpose === undefined ? {} : { purpose: lease.purpose })
  }
}

function leaseLine ({ handle, deviceId, expiresAtMs, purpose }: Lease): string {
  return `${handle} on ${word(deviceId)} until ${isoTime(expiresAtMs)}${purpose === undefined ? '' : ` ${quote(purpose, 200)}`}`
}

/** The same object without members that are undefined, which a selector's may not be. */
function withoutAbsent<T extends object> (members: T): { [name in keyof T]: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { [name in keyof T]: Exclude<T[name], undefined> }
}
