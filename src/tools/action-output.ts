import { defaultView, viewScreen } from '../devices/screen/screen-view.ts'
import type { Screen } from '../devices/screen/screen.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { DeviceUse } from './device-use.ts'
import type { ObserveInput } from './lease-input.ts'
import { pause } from '../runtime/abortable.ts'
import type { ToolOutput } from './tool-definition.ts'

// A screen that looks untouched right after an action often only has not answered yet.
const secondLookMs = 250

/** What an action did and how its caller wants to see the outcome. */
export interface Action {
  /** A sentence. */
  readonly done: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly observe: ObserveInput
  /** Fingerprint of the screen last seen before the call touched anything. */
  readonly before: string | undefined
  /** The screen after the action, where the action has looked already. */
  readonly after?: Screen
}

/**
 * The result of an action: what was done, then the screen that followed.
 *
 * The action is done whatever happens now, so a screen that cannot be read does not make the
 * call a refusal: an agent that takes a tap for refused taps again.
 */
export async function actionOutput (
  { scheduler }: { readonly scheduler: Scheduler }, use: DeviceUse, { done, facts, observe, before, after }: Action
): Promise<ToolOutput> {
  if (observe === 'none' || before === undefined) use.tellScreenChange()
  if (observe === 'none') return { content: [{ type: 'text', text: done }], structuredContent: facts }
  try {
    const screen = after ?? await lookAfter(scheduler, use)
    const changed = before === undefined ? undefined : screen.fingerprint !== before
    const { lines, data } = viewScreen(screen, { ...defaultView, detail: observe })
    return {
      content: [{ type: 'text', text: [changed === false ? `${done} Nothing on the screen changed.` : done, ...lines].join('\n') }],
      structuredContent: { ...facts, ...(changed === undefined ? {} : { changed }), screen: data }
    }
  } catch (error) {
    if (!(error instanceof Refusal) || use.command.signal.aborted) throw error
    return {
      content: [{ type: 'text', text: `${done} The screen after it could not be read: ${error.message} Do not repeat the action; call observe.` }],
      structuredContent: { ...facts, screenRefusal: error.toJSON() }
    }
  }
}

async function lookAfter (scheduler: Scheduler, use: DeviceUse): Promise<Screen> {
  // The last step of an action may have come after looks of its own.
  const lastSeen = use.memory.latest()?.fingerprint
  const { screen } = await use.look()
  if (screen.fingerprint !== lastSeen) return screen
  await pause(scheduler, secondLookMs, use.command.signal)
  return (await use.look()).screen
}
