import { z } from 'zod'
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import { keys, orientations, type Point } from '../devices/device-types.ts'
import { elementName } from '../devices/screen/screen-lines.ts'
import { AmbiguousRefusal, InvalidPatternRefusal, NoMatchRefusal } from '../devices/screen/screen-refusals.ts'
import { selectElement } from '../devices/screen/select-element.ts'
import { tapPoint } from '../devices/screen/tap-point.ts'
import type { Screen, ScreenElement } from '../devices/screen/screen.ts'
import { actionOutput } from './action-output.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import type { DeviceUse } from './device-use.ts'
import { leaseInput, observeInput } from './lease-input.ts'
import { inPixels, parseTarget, selectorInput, targetInput, type TargetInput } from './selector-input.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'
import { waitUntil, type Waited } from './wait-until.ts'

const pollMs = 300
/** From here on a driver takes a tap for a long press. */
const longPressMs = 400
/** More than everything but the waiting takes. */
const longestTapMs = 120_000

/** Tools that touch a phone and press its keys. */
export function createActTools ({ uses, clock, scheduler }: Pick<DeviceToolParts, 'uses' | 'clock' | 'scheduler'>): ToolDefinition[] {
  const tapOn = defineTool({
    name: 'tapOn',
    title: 'Tap',
    description:
      'Taps an element, or a point where no element will do. Finds the element on the screen as it is now; of a text and a button with one name ' +
      'it taps the button. Returns the next screen. With waitFor it returns once that element is visible.',
    input: z.strictObject({
      lease: leaseInput,
      target: targetInput,
      count: z.int().min(1).max(3).default(1).describe('2: double tap'),
      holdMs: z.int().min(0).max(10_000).default(0).describe('400 or more: long press'),
      waitFor: selectorInput.optional(),
      waitMs: z.int().min(0).max(60_000).default(10_000).describe('For waitFor'),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    reports: true,
    run ({ lease: handle, target, count, holdMs, waitFor, waitMs, observe }, call) {
      const { progress, log } = call
      const limitMs = waitFor === undefined ? undefined : waitMs + longestTapMs
      return uses.acting({ handle, call, limitMs }, async (use) => {
        const { point, element } = await locate(use, target)
        const before = use.memory.latest()?.fingerprint
        ensureNotCancelled(use.command.signal)
        await use.driver.tap(point, { count, holdMs }, use.command)

        const what = element === undefined ? `${point.x},${point.y}` : elementName(element)
        const verb = holdMs >= longPressMs ? 'Long-pressed' : 'Tapped'
        const done = `${verb} ${what}${count === 1 ? '' : ` ${count} times`}${element?.enabled === false ? ', which is disabled' : ''}.`
        const wait = waitFor === undefined
          ? undefined
          : await tryToWait(() => waitUntil(
            { clock, scheduler }, use, { selector: waitFor, state: 'visible' }, { timeoutMs: waitMs, pollMs, progress, log, noteWait: (ms) => call.noteWait(ms), done }
          ))
        return await actionOutput({ scheduler }, use, {
          done: wait === undefined ? done : `${done} ${wait.outcome}`,
          facts: {
            ...(element === undefined ? {} : { ref: element.ref }),
            point: [point.x, point.y],
            ...wait?.facts
          },
          observe,
          before,
          ...(wait?.screen === undefined ? {} : { after: wait.screen })
        })
      })
    }
  })

  const pressButton = defineTool({
    name: 'pressButton',
    title: 'Press a button',
    description: 'Presses a key of the phone or of its keyboard: home, back, enter, volume and so on. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      button: z.enum(keys),
      count: z.int().min(1).max(20).default(1),
      long: z.boolean().default(false),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    run ({ lease: handle, button, count, long, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const before = use.memory.latest()?.fingerprint
        await use.driver.pressKey(button, { count, long }, use.command)
        return await actionOutput({ scheduler }, use, {
          done: `Pressed ${button}${long ? ' long' : ''}${count === 1 ? '' : ` ${count} times`}.`,
          facts: { button },
          observe,
          before
        })
      })
    }
  })

  const rotate = defineTool({
    name: 'rotate',
    title: 'Rotate the device',
    description: 'Turns the phone to portrait or landscape and returns the next screen, laid out anew.',
    input: z.strictObject({ lease: leaseInput, orientation: z.enum(orientations), observe: observeInput }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, orientation, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const before = use.memory.latest()?.fingerprint
        await use.driver.setOrientation(orientation, use.command)
        return await actionOutput({ scheduler }, use, {
          done: `Turned the device to ${orientation}.`, facts: { orientation }, observe, before
        })
      })
    }
  })

  return [tapOn, pressButton, rotate]
}

interface Wait {
  /** A sentence or two. */
  readonly outcome: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly screen?: Screen
}

/**
 * Waits after an action that has been done. What was waited for may turn out to be refused, as
 * an ambiguous container is; only a wait in vain, which tells what was done, is thrown.
 */
async function tryToWait (wait: () => Promise<Waited>): Promise<Wait> {
  try {
    const { screen, waitedMs } = await wait()
    return { outcome: `Waited ${waitedMs} ms.`, facts: { waitedMs }, screen }
  } catch (error) {
    const isAbout = error instanceof NoMatchRefusal || error instanceof AmbiguousRefusal || error instanceof InvalidPatternRefusal
    if (!isAbout) throw error
    return { outcome: `Did not wait: ${error.message} Do not repeat the tap.`, facts: { waitRefusal: error.toJSON() } }
  }
}

/** Where to tap, and what is there. A point in pixels needs no look, so it works where looking fails. */
async function locate (use: DeviceUse, target: TargetInput): Promise<{ readonly point: Point, readonly element?: ScreenElement }> {
  const parsed = parseTarget(target)
  if ('point' in parsed) {
    if (parsed.point.unit === 'px') return { point: { x: Math.floor(parsed.point.x), y: Math.floor(parsed.point.y) } }
    const { screen } = await use.look()
    return { point: inPixels(parsed.point, screen.size) }
  }
  const { screen } = await use.look()
  const element = selectElement(screen, parsed.selector, { purpose: 'tap', memory: use.memory })
  return { point: tapPoint(screen, element), element }
}
