import { z } from 'zod'
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import { deviceKinds, platforms, type DeviceDescription } from '../devices/device-types.ts'
import { quote } from '../text/quote.ts'
import { priorities, type Lease } from '../leases/contract/lease.ts'
import type { AcquireTerms } from '../leases/contract/lease-manager.ts'
import { longestWaitMs, minTtlMs } from '../leases/contract/lease-settings.ts'
import { osRangeFault } from '../leases/queue/match-os.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { leaseName, leaseTerms } from './lease-data.ts'
import { deviceData } from './pooled-device-data.ts'
import { defineTool, type ToolCall, type ToolDefinition, type ToolOutput } from './tool-definition.ts'
import { createWaitingReport } from './waiting-report.ts'

const mostDevices = 16

const platformInput = z.enum(platforms).optional()
const deviceInput = z.string().min(1).max(128).optional()
const labelsInput = z.array(z.string().min(1).max(64)).max(16).optional()

// What decides which phone it can be is mirrored into headers, for routers in front.
const selectorInput = {
  device: deviceInput.meta({ description: 'Id from listDevices', 'x-mcp-header': 'Device' }),
  platform: platformInput.meta({ 'x-mcp-header': 'Platform' }),
  kind: z.enum(deviceKinds).optional(),
  model: z.string().min(1).max(128).optional().describe('Glob, e.g. Pixel*'),
  os: z.string().min(1).max(64)
    .refine((range) => osRangeFault(range) === undefined, { error: ({ input }) => osRangeFault(String(input)) ?? '' })
    .optional().describe('Version or range: 15, ">=14 <16"'),
  labels: labelsInput.describe('All of these'),
  withoutLabels: labelsInput.describe('None of these')
}

const termsInput = {
  ttlMs: z.int().min(minTtlMs).max(86_400_000).optional().describe('How long it lasts without use'),
  waitMs: z.int().min(0).max(longestWaitMs).default(0).describe('Wait in the queue that long'),
  priority: z.enum(priorities).optional(),
  heartbeatMs: z.int().min(2_000).max(60_000).optional().describe('Lose it a few seconds after POST /heartbeat and calls have stopped for that long'),
  purpose: z.string().max(200).optional().describe('What you need it for')
}

type Terms = z.output<z.ZodObject<typeof termsInput>>

/**
 * Several phones, each with a label of the caller's choosing. Published as a list, since several
 * model providers know no object with names of the caller's choosing. Such an object, from label
 * to phone, is taken too.
 */
const labelledInput = z.preprocess(listOfLabelled, z.array(z.strictObject({
  // The label becomes the name of a member of the result.
  label: z.string().min(1).max(64).refine((label) => label !== '__proto__', { error: 'is a name that JavaScript keeps for itself' }),
  ...selectorInput,
  device: deviceInput,
  platform: platformInput
})).min(1).max(mostDevices).refine(haveLabelsOfTheirOwn, { error: 'has a label twice' }))

/** Tools that take phones. */
export function createAcquireTools (
  { leases, clock, scheduler }: Pick<DeviceToolParts, 'leases' | 'clock' | 'scheduler'>
): ToolDefinition[] {
  const acquireDevice = defineTool({
    name: 'acquireDevice',
    title: 'Acquire a device',
    description:
      'Takes a free phone for your exclusive use and returns a lease handle; device tools want it as `lease`. ' +
      'Without arguments any free phone is taken. With none free it waits in the queue for waitMs, reporting its position, or says when to try again. ' +
      'Each use extends the lease to a full ttlMs, but only acting keeps it from idling out, looking does not. Next: observe. When done: releaseDevice.',
    input: z.strictObject({ ...selectorInput, ...termsInput }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    maxWaitMs,
    async run ({ ttlMs, waitMs, priority, heartbeatMs, purpose, ...selector }, call) {
      const terms = { ttlMs, waitMs, priority, heartbeatMs, purpose }
      const lease = await whileWaiting(call, (onWaiting) => leases.acquire({ selector: withoutAbsent(selector), ...termsOf(terms, call), onWaiting }))
      return await answerOrUndo([lease], call, (deviceOf) => ({
        content: [{
          type: 'text',
          text: [
            `Lease ${leaseName(lease, deviceOf(lease))}.`,
            `Pass it as \`lease\` to every device tool${keyNote(lease, call)}. Next: observe, then act. When you are done: releaseDevice.`
          ].join('\n')
        }],
        structuredContent: { ...leaseTerms(lease), device: deviceData(deviceOf(lease)) }
      }))
    }
  })

  const acquireDevices = defineTool({
    name: 'acquireDevices',
    title: 'Acquire several devices',
    description:
      `Takes up to ${mostDevices} phones at once, all or none, each under a label of yours: {"devices": [{"label": "alice", "platform": "ios"}, {"label": "bob"}]}. ` +
      'Returns a lease for each label. Otherwise like acquireDevice.',
    input: z.strictObject({
      devices: labelledInput,
      ...termsInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    maxWaitMs,
    async run ({ devices, ...terms }, call) {
      const wanted = Object.fromEntries(devices.map(({ label, ...selector }) => [label, withoutAbsent(selector)]))
      const granted = await whileWaiting(call, (onWaiting) => leases.acquireAll({ wanted, ...termsOf(terms, call), onWaiting }))
      const labelled = Object.entries(granted)
      const [bound] = call.sessionKey === undefined ? [] : labelled.find(([, lease]) => lease.sessionKey === call.sessionKey) ?? []
      return await answerOrUndo(Object.values(granted), call, (deviceOf) => ({
        content: [{
          type: 'text',
          text: [
            ...labelled.map(([label, lease]) => `${quote(label)}: lease ${leaseName(lease, deviceOf(lease))}`),
            `Pass the lease of the phone you mean to every device tool.${bound === undefined ? '' : ` Without one your session key stands for ${quote(bound)}.`} When you are done: releaseDevice for each.`
          ].join('\n')
        }],
        structuredContent: {
          leases: Object.fromEntries(labelled.map(([label, lease]) => [label, { ...leaseTerms(lease), device: deviceData(deviceOf(lease)) }])),
          ...(bound === undefined ? {} : { ofSessionKey: bound })
        }
      }))
    }
  })

  /** Acquires, and tells the caller its position in the queue while that takes. */
  async function whileWaiting<T> (call: ToolCall, acquire: (onWaiting: NonNullable<AcquireTerms['onWaiting']>) => Promise<T>): Promise<T> {
    const report = createWaitingReport({ clock, scheduler, progress: call.progress })
    let sinceMs: number | undefined
    try {
      return await acquire((position) => {
        sinceMs ??= clock.monotonicMs()
        report.onWaiting(position)
      })
    } finally {
      report.stop()
      if (sinceMs !== undefined) call.noteWait(clock.monotonicMs() - sinceMs)
    }
  }

  /** Makes the answer, with a way to take back what it is about: a lease of which no caller learned would never be released. */
  async function answerOrUndo (
    granted: readonly Lease[], call: ToolCall, answer: (deviceOf: (lease: Lease) => DeviceDescription) => ToolOutput
  ): Promise<ToolOutput> {
    async function undo (): Promise<void> {
      await Promise.all(granted.map(async ({ handle, holder }) => await leases.undo({ handle, holder })))
    }
    try {
      const pool = await leases.devices()
      const output = answer(({ deviceId }) => {
        const found = pool.find(({ description }) => description.id === deviceId)
        if (found === undefined) throw new Error(`device ${deviceId} was leased and is not in the pool`)
        return found.description
      })
      ensureNotCancelled(call.signal)
      for (const { deviceId } of granted) call.noteDevice(deviceId)
      return { ...output, undo }
    } catch (error) {
      // If this fails too, they expire.
      await undo().catch(() => undefined)
      throw error
    }
  }

  return [acquireDevice, acquireDevices]
}

/** How long these arguments want to wait; anything else is left to their check. */
export function maxWaitMs ({ waitMs }: JsonObject): number {
  const wanted = typeof waitMs === 'string' || typeof waitMs === 'number' ? Number(waitMs) : 0
  return wanted > 0 && wanted <= longestWaitMs ? wanted : 0
}

function termsOf (
  { ttlMs, waitMs, priority, heartbeatMs, purpose }: Terms, { principal, sessionKey, signal }: ToolCall
): Omit<AcquireTerms, 'onWaiting'> {
  return { holder: { principal: principal.key }, signal, waitMs, ...withoutAbsent({ ttlMs, priority, heartbeatMs, purpose, sessionKey }) }
}

function keyNote (lease: Lease, { sessionKey }: ToolCall): string {
  if (sessionKey === undefined) return ''
  return lease.sessionKey === sessionKey
    ? ', or leave it out: your session key stands for it'
    : '; without it your session key goes on standing for your earlier lease'
}

function listOfLabelled (given: unknown): unknown {
  if (!isObject(given)) return given
  return Object.entries(given).map(([label, phone]) => {
    if (!isObject(phone)) return phone === null ? { label } : phone
    return { ...Object.fromEntries(Object.entries(phone).filter(([, value]) => value !== null)), label }
  })
}

function haveLabelsOfTheirOwn (devices: ReadonlyArray<{ readonly label: string }>): boolean {
  return new Set(devices.map(({ label }) => label)).size === devices.length
}

/** The same object without members that are undefined, which a selector's may not be. */
function withoutAbsent<T extends object> (members: T): { [name in keyof T]: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as { [name in keyof T]: Exclude<T[name], undefined> }
}
