import { z } from 'zod'
import { quote, word } from '../text/quote.ts'
import { cleanupLevels } from '../leases/cleanup/cleanup-level.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { DeviceState, LeaseClaim, WaitingRequest } from '../leases/contract/lease-manager.ts'
import { minTtlMs } from '../leases/contract/lease-settings.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { isoTime } from './iso-time.ts'
import { endClause, endsAt, isOfKey, leaseTerms, listedLease } from './lease-data.ts'
import { leaseInput } from './lease-input.ts'
import { defineTool, type ToolCall, type ToolDefinition } from './tool-definition.ts'
import { positionText } from './waiting-report.ts'

/** Tools for leases that are held. */
export function createLeaseTools (
  { leases, choice, screens }: Pick<DeviceToolParts, 'leases' | 'choice' | 'screens'>
): ToolDefinition[] {
  const renewLease = defineTool({
    name: 'renewLease',
    title: 'Renew a lease',
    description:
      'Extends a lease to a full ttlMs from now. Only needed before a long pause: every device tool extends the lease it uses. ' +
      'Only acting on the phone keeps a lease from idling out: looking and renewing do not.',
    input: z.strictObject({
      lease: leaseInput,
      ttlMs: z.int().min(minTtlMs).max(86_400_000).optional().describe('From now on; as before when absent')
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run ({ lease: named, ttlMs }, call) {
      const handle = await choice.find(named, call)
      const lease = await leases.renew({ ...claimOf(handle, call), ...(ttlMs === undefined ? {} : { ttlMs }) })
      call.noteDevice(lease.deviceId)
      return {
        content: [{ type: 'text', text: `The lease now ${endClause(lease)}.` }],
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
      const { lease, cleaned, failed, releasedNow } = await leases.release({ ...claimOf(handle, call), ...(cleanup === undefined ? {} : { cleanup }) })
      screens.forget(handle)
      const device = lease.deviceId
      call.noteDevice(device)
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
    title: 'List leases',
    description:
      'Lists the leases held under your token, with their handles, and what waits in the queue: use it to find a lost handle again. ' +
      'All agents under one token are one holder, so leases of other agents are listed too: release only what you know to be yours. ' +
      'hasSessionKey marks those that a session key stands for, mine those of yours.',
    input: z.strictObject({ limit: z.int().min(1).max(200).default(50) }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run ({ limit }, call) {
      const holder = { principal: call.principal.key }
      const all = await leases.list(holder)
      // Its own comes first, so that no limit hides it.
      const held = [...all].sort((a, b) => Number(isOfKey(b, call)) - Number(isOfKey(a, call))).slice(0, limit)
      const waiting = leases.waiting(holder)
      const lines = [
        ...held.map((lease) => leaseLine(lease, shownState(lease), call)),
        ...(held.length < all.length ? [`(${all.length - held.length} more)`] : []),
        ...(held.every((lease) => isOfKey(lease, call)) ? [] : [othersNote]),
        ...waiting.map(waitingLine)
      ]
      return {
        content: [{ type: 'text', text: lines.length === 0 ? 'You hold no lease.' : lines.join('\n') }],
        structuredContent: {
          leases: held.map((lease) => leaseData(lease, shownState(lease), call)),
          total: all.length,
          ...(waiting.length === 0 ? {} : { waiting: waiting.map(waitingData) })
        }
      }
    }
  })

  function shownState (lease: Lease): string {
    return leases.isExpiring(lease) ? 'expiring' : lease.state
  }

  async function stateOf (deviceId: string): Promise<DeviceState> {
    return (await leases.devices()).find(({ description }) => description.id === deviceId)?.state ?? 'gone'
  }

  return [renewLease, releaseDevice, listLeases]
}

const othersNote = 'All agents under your token are one holder: a lease you do not know to be yours may be another agent\'s at work, so leave it.'

function leaseData (lease: Lease, state: string, call: ToolCall): Record<string, unknown> {
  return { ...leaseTerms(lease), ...listedLease(lease, call), state, grantedAt: isoTime(lease.grantedAtMs) }
}

function leaseLine (lease: Lease, state: string, call: ToolCall): string {
  const { handle, deviceId, purpose, sessionKey, grantedAtMs, ttlMs } = lease
  return [
    `${handle} on ${word(deviceId)} until ${endsAt(lease)}, granted at ${isoTime(grantedAtMs)}, ttl ${ttlMs} ms`,
    ...(state === 'granted' ? [] : [state]),
    ...(isOfKey(lease, call) ? ['mine (of your session key)'] : sessionKey === undefined ? [] : ['of a session key']),
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
  return `waiting for ${count}: ${positionText(request)}${purpose === undefined ? '' : ` ${quote(purpose, 200)}`}`
}

function phrases (list: readonly string[]): string {
  return list.length === 0 ? 'nothing' : list.map((phrase) => quote(phrase, 200)).join(', ')
}

function claimOf (handle: string, { principal, sessionKey }: ToolCall): LeaseClaim {
  return { handle, holder: { principal: principal.key }, sessionKey }
}
