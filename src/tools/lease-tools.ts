import { z } from 'zod'
import { quote, word } from '../devices/screen/quote.ts'
import { cleanupLevels } from '../leases/cleanup/cleanup-level.ts'
import type { Lease } from '../leases/lease.ts'
import type { DeviceState, LeaseManager, WaitingRequest } from '../leases/lease-manager.ts'
import { minTtlMs } from '../leases/lease-settings.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { isoTime } from './iso-time.ts'
import { leaseTerms } from './lease-data.ts'
import { leaseInput } from './lease-input.ts'
import { defineTool, type ToolCall, type ToolDefinition } from './tool-definition.ts'
import { placeText } from './waiting-report.ts'

/** Tools for leases that are held. */
export function createLeaseTools (
  { leases, choice, screens }: Pick<DeviceToolParts, 'leases' | 'choice' | 'screens'>
): ToolDefinition[] {
  const renewLease = defineTool({
    name: 'renewLease',
    title: 'Renew a lease',
    description: 'Extends a lease to a full ttlMs from now. Only needed before a long pause: every device tool extends the lease it uses.',
    input: z.strictObject({
      lease: leaseInput,
      ttlMs: z.int().min(minTtlMs).max(86_400_000).optional().describe('From now on; as before when absent')
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run ({ lease: named, ttlMs }, call) {
      const handle = await choice.find(named, call)
      const lease = await leases.renew({ handle, holder: { principal: call.principal.key }, ...(ttlMs === undefined ? {} : { ttlMs }) })
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
    input: z.strictObject({
      lease: leaseInput,
      cleanup: z.enum(cleanupLevels).optional().describe('full: erase everything')
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run ({ lease: named, cleanup }, call) {
      const handle = await choice.find(named, call)
      const { lease, cleaned, failed, releasedNow } = await leases.release({ handle, holder: { principal: call.principal.key }, ...(cleanup === undefined ? {} : { cleanup }) })
      screens.forget(handle)
      const device = lease.deviceId
      const state = await stateOf(device)
      return {
        content: [{
          type: 'text',
          text: releasedNow
            ? `Released ${device}, which is now ${state}. Cleaned: ${phrases(cleaned)}.${failed.length === 0 ? '' : ` Failed: ${phrases(failed)}.`}`
            : `The lease on ${device} had been released before.`
        }],
        structuredContent: { released: true, alreadyReleased: !releasedNow, cleaned, failed, device, state }
      }
    }
  })

  const listLeases = defineTool({
    name: 'listLeases',
    title: 'List my leases',
    description: 'Lists the leases you hold, with their handles, and what you wait for: use it to find a handle again, or to release what you forgot.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run (_input, call) {
      const holder = { principal: call.principal.key }
      const held = (await leases.list(holder)).map((lease) => ({ lease, state: shownState(leases, lease), ofSessionKey: isOfKey(lease, call) }))
      const waiting = leases.waiting(holder)
      const lines = [...held.map(leaseLine), ...waiting.map(waitingLine)]
      return {
        content: [{ type: 'text', text: lines.length === 0 ? 'You hold no lease.' : lines.join('\n') }],
        structuredContent: { leases: held.map(leaseData), ...(waiting.length === 0 ? {} : { waiting: waiting.map(waitingData) }) }
      }
    }
  })

  async function stateOf (deviceId: string): Promise<DeviceState> {
    return (await leases.devices()).find(({ description }) => description.id === deviceId)?.state ?? 'gone'
  }

  return [renewLease, releaseDevice, listLeases]
}

interface Held {
  readonly lease: Lease
  readonly state: string
  /** Whether the session key of the call stands for it. */
  readonly ofSessionKey: boolean
}

function shownState (leases: LeaseManager, lease: Lease): string {
  return leases.isExpiring(lease) ? 'expiring' : lease.state
}

function isOfKey ({ sessionKey }: Lease, call: ToolCall): boolean {
  return sessionKey !== undefined && sessionKey === call.sessionKey
}

function leaseData ({ lease, state, ofSessionKey }: Held): Record<string, unknown> {
  return {
    ...leaseTerms(lease),
    state,
    device: lease.deviceId,
    grantedAt: isoTime(lease.grantedAtMs),
    ...(lease.purpose === undefined ? {} : { purpose: lease.purpose }),
    ...(ofSessionKey ? { ofSessionKey } : {})
  }
}

function leaseLine ({ lease: { handle, deviceId, expiresAtMs, purpose }, state, ofSessionKey }: Held): string {
  return [
    `${handle} on ${word(deviceId)} until ${isoTime(expiresAtMs)}`,
    ...(state === 'granted' ? [] : [state]),
    ...(ofSessionKey ? ['of your session key'] : []),
    ...(purpose === undefined ? [] : [quote(purpose, 200)])
  ].join(' ')
}

function waitingData ({ wanted, purpose, priority, sinceMs, position, estimateMs }: WaitingRequest): Record<string, unknown> {
  return {
    wanted,
    priority,
    since: isoTime(sinceMs),
    position,
    ...(estimateMs === undefined ? {} : { estimateMs }),
    ...(purpose === undefined ? {} : { purpose })
  }
}

function waitingLine (request: WaitingRequest): string {
  const { wanted, purpose } = request
  const count = wanted.length === 1 ? 'a phone' : `${wanted.length} phones`
  return `waiting for ${count}: ${placeText(request)}${purpose === undefined ? '' : ` ${quote(purpose, 200)}`}`
}

function phrases (list: readonly string[]): string {
  return list.length === 0 ? 'nothing' : list.map((phrase) => quote(phrase, 200)).join(', ')
}
