import { z } from 'zod'
import type { AppInfo } from '../devices/device-types.ts'
import { fold } from '../devices/screen/fold.ts'
import { quote, withoutActing, word } from '../text/quote.ts'
import { actionOutput } from './action-output.ts'
import { appIdOf, appInput } from './app-input.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { leaseInput, observeInput } from './lease-input.ts'
import { page } from './page.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'

const longestUrl = 2_048
const urlPattern = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}]+$/u

/** Tools for the apps of a phone. */
export function createAppTools ({ uses, scheduler }: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  const listApps = defineTool({
    name: 'listApps',
    title: 'List apps',
    description: 'Lists installed apps with id, name and version, and which are running. The id is what launchApp and terminateApp want.',
    input: z.strictObject({
      lease: leaseInput,
      scope: z.enum(['user', 'system', 'all']).default('all'),
      query: z.string().max(100).optional().describe('Part of name or id'),
      limit: z.int().min(1).max(200).default(50),
      cursor: z.string().max(256).optional().describe('`next` of the page before')
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, scope, query = '', limit, cursor }, call) {
      return uses.reading({ handle, call }, async ({ driver, command }) => {
        const wanted = fold(query)
        const whole = await driver.listApps(command)
        const apps = whole
          .filter(({ id, name, system }) => {
            return (scope === 'all' || system === (scope === 'system')) && (fold(name).includes(wanted) || fold(id).includes(wanted))
          })
          .sort((a, b) => a.id < b.id ? -1 : 1)
        const { items, next } = page(apps, { limit, cursor, keyOf: ({ id }) => id, whole })
        const lines = items.map(appLine)
        if (lines.length === 0) lines.push(cursor === undefined ? 'No app is like that.' : 'There are no more.')
        if (next !== undefined) lines.push(`(more: call again with cursor ${quote(next)})`)
        return {
          content: [{ type: 'text', text: lines.join('\n') }],
          structuredContent: { apps: items.map((app) => ({ ...app, name: withoutActing(app.name) })), total: apps.length, ...(next === undefined ? {} : { next }) }
        }
      })
    }
  })

  const launchApp = defineTool({
    name: 'launchApp',
    title: 'Launch an app',
    description: 'Brings an app to the front, starting it if needed, and returns its screen. restart starts it from its first screen.',
    input: z.strictObject({
      lease: leaseInput,
      app: appInput.describe('Id or name of an app'),
      restart: z.boolean().default(false),
      clearData: z.boolean().default(false).describe('Erase its data first'),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run ({ lease: handle, app: named, restart, clearData, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const app = await appIdOf(named, use)
        const before = use.memory.latest()?.fingerprint
        await use.driver.launchApp(app, { restart, clearData }, use.command)
        return await actionOutput({ scheduler }, use, {
          done: `${restart ? 'Restarted' : 'Launched'} ${word(app)}${clearData ? ' without its data' : ''}.`, facts: { app }, observe, before
        })
      })
    }
  })

  const terminateApp = defineTool({
    name: 'terminateApp',
    title: 'Terminate an app',
    description: 'Stops an app, with whatever it had not saved. Returns the next screen.',
    input: z.strictObject({ lease: leaseInput, app: appInput, observe: observeInput }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, app: named, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const app = await appIdOf(named, use)
        const before = use.memory.latest()?.fingerprint
        await use.driver.terminateApp(app, use.command)
        return await actionOutput({ scheduler }, use, { done: `Stopped ${word(app)}.`, facts: { app }, observe, before })
      })
    }
  })

  const openLink = defineTool({
    name: 'openLink',
    title: 'Open a link',
    description: 'Opens a URL or deep link on the phone, in `app` or in whichever app claims it. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      url: z.string().max(longestUrl).regex(urlPattern, 'must be a URL with a scheme and without blanks, such as https://example.com')
        .describe(`With scheme; ${longestUrl} characters at most`),
      app: appInput.optional(),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run ({ lease: handle, url, app, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const before = use.memory.latest()?.fingerprint
        await use.driver.openLink(url, app === undefined ? {} : { appId: await appIdOf(app, use) }, use.command)
        return await actionOutput({ scheduler }, use, { done: `Opened ${quote(url, 200)}.`, facts: { url }, observe, before })
      })
    }
  })

  return [listApps, launchApp, terminateApp, openLink]
}

function appLine ({ id, name, version, system, running }: AppInfo): string {
  return [word(id), quote(name, 60), word(version), ...(system ? ['system'] : []), ...(running ? ['running'] : [])].join(' ')
}
