import { z } from 'zod'
import { ensureNotCancelled } from '../../refusals/cancellation.ts'
import { quote, word } from '../../text/quote.ts'
import type { NetworkState } from '../../devices/setting-commands.ts'
import { Refusal } from '../../refusals/refusal.ts'
import { actionOutput } from '../action-output.ts'
import { appIdOf, appInput } from '../app-input.ts'
import type { DeviceToolParts } from '../device-tool-parts.ts'
import { leaseInput, observeInput } from '../lease-input.ts'
import { defineTool, type ToolDefinition } from '../tool-definition.ts'

const longestClipboard = 10_000
const mostClipboardShown = 200

const settingsInput = {
  locale: z.string().min(2).max(60).optional().describe('BCP 47, e.g. de-DE'),
  location: z.strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) }).optional().describe('Simulated'),
  endLocation: z.boolean().default(false).describe('End the simulated location'),
  network: z.strictObject({ wifi: z.boolean().optional(), data: z.boolean().optional(), airplane: z.boolean().optional() }).optional(),
  clipboard: z.string().max(longestClipboard).optional().describe(`${longestClipboard} characters at most`)
}

/** Tools for the settings of a phone. */
export function createSettingTools ({ uses, scheduler }: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  const getDeviceState = defineTool({
    name: 'getDeviceState',
    title: 'Read device state',
    description: 'Reads orientation, locale, simulated location, network and clipboard, and with `app` the permissions of that app.',
    input: z.strictObject({ lease: leaseInput, app: appInput.optional() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, app }, call) {
      return uses.reading({ handle, call }, async ({ driver, command }) => {
        const { done, refusals } = await tryEach(command.signal, {
          orientation: () => driver.getOrientation(command),
          locale: () => driver.getLocale(command),
          location: async () => await driver.getLocation(command) ?? null,
          network: () => driver.getNetwork(command),
          clipboard: () => driver.getClipboard(command),
          ...(app === undefined ? {} : { permissions: async () => await driver.listPermissions(await appIdOf(app, { driver, command }), command) })
        })
        // A call that names an app wants to know of that one.
        if (refusals.permissions !== undefined) throw refusals.permissions
        const lines = [
          ...Object.entries(done).map(([name, value]) => `${name} ${valueText(value)}`),
          ...Object.entries(refusals).map(([name, { message }]) => `${name} cannot be read: ${message}`)
        ]
        return { content: [{ type: 'text', text: lines.join('\n') }], structuredContent: { ...done, ...refusalFacts(refusals) } }
      })
    }
  })

  const setDeviceState = defineTool({
    name: 'setDeviceState',
    title: 'Change device state',
    description:
      'Sets locale, simulated location, network or clipboard; what is left out stays. Release undoes it. Returns the next screen. ' +
      'To turn the phone use rotate.',
    input: z.strictObject({ lease: leaseInput, ...settingsInput, observe: observeInput }).refine(
      ({ locale, location, endLocation, network, clipboard }) => endLocation || [locale, location, network, clipboard].some((wanted) => wanted !== undefined),
      { error: 'Give at least one of `locale`, `location`, `endLocation`, `network` and `clipboard`.' }
    ).refine(({ location, endLocation }) => location === undefined || !endLocation, { error: 'Give one of `location` and `endLocation`.' }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, locale, location, endLocation, network, clipboard, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const before = use.memory.latest()?.fingerprint
        const { driver, command } = use
        const { done, refusals } = await tryEach(command.signal, {
          ...(locale === undefined ? {} : { locale: async () => { await driver.setLocale(locale, command) } }),
          ...(location === undefined ? {} : { location: () => driver.setLocation(location, command) }),
          ...(endLocation ? { location: () => driver.clearLocation(command) } : {}),
          ...(network === undefined ? {} : { network: () => driver.setNetwork(givenOnly(network), command) }),
          ...(clipboard === undefined ? {} : { clipboard: () => driver.setClipboard(clipboard, command) })
        })
        const [first] = Object.values(refusals)
        const set = Object.keys(done)
        if (set.length === 0 && first !== undefined) throw first
        const failed = Object.entries(refusals).map(([name, { message, nextAction }]) => ` Not ${name}: ${message} ${nextAction}`)
        return await actionOutput({ scheduler }, use, {
          done: `Set ${set.join(', ')}.${failed.join('')}`, facts: { set, ...refusalFacts(refusals) }, observe, before
        })
      })
    }
  })

  return [getDeviceState, setDeviceState]
}

/**
 * Tries each of some things, so that one which this phone cannot do does not keep the others
 * from being done; what was done is told in any case.
 */
async function tryEach (signal: AbortSignal, works: Readonly<Record<string, () => Promise<unknown>>>) {
  const done: Record<string, unknown> = {}
  const refusals: Record<string, Refusal> = {}
  for (const [name, work] of Object.entries(works)) {
    ensureNotCancelled(signal)
    try {
      done[name] = await work()
    } catch (error) {
      if (!(error instanceof Refusal) || signal.aborted) throw error
      refusals[name] = error
    }
  }
  return { done, refusals }
}

function refusalFacts (refusals: Readonly<Record<string, Refusal>>): { readonly refusals?: unknown } {
  const bodies = Object.entries(refusals).map(([name, refusal]) => [name, refusal.toJSON()])
  return bodies.length === 0 ? {} : { refusals: Object.fromEntries(bodies) }
}

function givenOnly ({ wifi, data, airplane }: { readonly [name in keyof NetworkState]?: boolean | undefined }): Partial<NetworkState> {
  return { ...(wifi === undefined ? {} : { wifi }), ...(data === undefined ? {} : { data }), ...(airplane === undefined ? {} : { airplane }) }
}

function valueText (value: unknown): string {
  if (value === null || typeof value !== 'object') return value === null ? 'of its own' : quote(String(value), mostClipboardShown)
  const members = Object.entries(value).map(([name, member]) => `${word(name)} ${typeof member === 'boolean' ? (member ? 'on' : 'off') : String(member)}`)
  return members.length === 0 ? 'none' : members.join(', ')
}
