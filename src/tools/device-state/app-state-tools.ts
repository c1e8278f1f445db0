import { z } from 'zod'
import { permissionStates, type AppSource } from '../../devices/app-commands.ts'
import { quote, word } from '../../text/quote.ts'
import { actionOutput, type Action } from '../action-output.ts'
import { appIdOf, appInput } from '../app-input.ts'
import type { DeviceToolParts } from '../device-tool-parts.ts'
import type { DeviceUse } from '../device-use.ts'
import { leaseInput, observeInput } from '../lease-input.ts'
import { defineTool, type ToolCall, type ToolDefinition } from '../tool-definition.ts'

const longestDefinition = 65_536

/** Tools that change which apps are on a phone, what they remember and what they may do. */
export function createAppStateTools ({ uses, scheduler }: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  /** Acts on an app, and answers with the screen that follows. */
  function act (handle: string | undefined, call: ToolCall, observe: Action['observe'], work: (use: DeviceUse) => Promise<Pick<Action, 'done' | 'facts'>>) {
    return uses.acting({ handle, call }, async (use) => {
      const before = use.memory.latest()?.fingerprint
      return await actionOutput({ scheduler }, use, { ...await work(use), observe, before })
    })
  }

  const installApp = defineTool({
    name: 'installApp',
    title: 'Install an app',
    description:
      'Installs an app: `app` is the id of one that comes with the phone, `definition` the text (YAML or JSON) of an app file for virtual phones. ' +
      'It replaces one of the same id, with its data. Release removes it. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      app: appInput.optional().describe('Id of an app of the phone'),
      definition: z.string().min(1).max(longestDefinition).optional().describe(`${longestDefinition} characters at most`),
      observe: observeInput
    }).refine(({ app, definition }) => (app === undefined) !== (definition === undefined), { error: 'Give one of `app` and `definition`.' }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, app, definition, observe }, call) {
      return act(handle, call, observe, async ({ driver, command }) => {
        const { id, name, version } = await driver.installApp(sourceOf(app, definition), command)
        return { done: `Installed ${quote(name, 60)} ${quote(version, 30)} as ${word(id)}.`, facts: { app: id, name, version } }
      })
    }
  })

  const uninstallApp = defineTool({
    name: 'uninstallApp',
    title: 'Uninstall an app',
    description: 'Removes an app with its data. Release puts back one that came with the phone, as new. Returns the next screen.',
    input: z.strictObject({ lease: leaseInput, app: appInput, observe: observeInput }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run ({ lease: handle, app: named, observe }, call) {
      return act(handle, call, observe, async ({ driver, command }) => {
        const app = await appIdOf(named, { driver, command })
        await driver.uninstallApp(app, command)
        return { done: `Uninstalled ${word(app)}.`, facts: { app } }
      })
    }
  })

  const clearAppData = defineTool({
    name: 'clearAppData',
    title: 'Clear app data',
    description: 'Stops an app and erases its data, as if just installed; its permissions stay. Returns the next screen.',
    input: z.strictObject({ lease: leaseInput, app: appInput, observe: observeInput }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, app: named, observe }, call) {
      return act(handle, call, observe, async ({ driver, command }) => {
        const app = await appIdOf(named, { driver, command })
        await driver.clearAppData(app, command)
        return { done: `Erased the data of ${word(app)}.`, facts: { app } }
      })
    }
  })

  const setPermission = defineTool({
    name: 'setPermission',
    title: 'Set an app permission',
    description: 'Grants or denies an app a permission, or lets it ask again. getDeviceState with `app` lists what there is. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      app: appInput,
      permission: z.string().min(1).max(200).describe('e.g. camera'),
      state: z.enum(permissionStates),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, app: named, permission, state, observe }, call) {
      return act(handle, call, observe, async ({ driver, command }) => {
        const app = await appIdOf(named, { driver, command })
        await driver.setPermission(app, permission, state, command)
        return { done: `Permission ${word(permission)} of ${word(app)} is now ${state}.`, facts: { app, permission, state } }
      })
    }
  })

  return [installApp, uninstallApp, clearAppData, setPermission]
}

function sourceOf (app: string | undefined, definition: string | undefined): AppSource {
  if (app !== undefined) return { kind: 'known', id: app }
  // The schema lets nothing through that names neither.
  return { kind: 'text', text: definition ?? '' }
}
