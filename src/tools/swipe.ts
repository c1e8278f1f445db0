import { z } from 'zod'
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import type { Point, Rect } from '../devices/device-types.ts'
import { NoMatchRefusal } from '../devices/screen/screen-refusals.ts'
import { elementName } from '../devices/screen/screen-lines.ts'
import { findElements, selectElement } from '../devices/screen/select-element.ts'
import type { Screen, ScreenElement } from '../devices/screen/screen.ts'
import type { Selector } from '../devices/screen/selector.ts'
import { actionOutput } from './action-output.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import type { DeviceUse } from './device-use.ts'
import { leaseInput, observeInput } from './lease-input.ts'
import { inPixels, pointInput, selectorInput } from './selector-input.ts'
import { defineTool, type ToolCall, type ToolDefinition } from './tool-definition.ts'

const directions = ['down', 'up', 'left', 'right'] as const
type Direction = (typeof directions)[number]

/** More than the look after a swipe takes. */
const longestLookMs = 20_000

/** Tools that move what a phone shows. */
export function createSwipeTools ({ uses, scheduler }: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  const swipeOn = defineTool({
    name: 'swipeOn',
    title: 'Swipe or scroll',
    description:
      'Scrolls. `direction` is where you want to look: down shows what is further down (the finger moves up). ' +
      'With untilVisible it goes on until that element is in sight, and refuses when the end is reached without it. ' +
      'Or swipes with the finger from one point to another, e.g. to drag a slider. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      direction: z.enum(directions).optional(),
      from: pointInput.optional().describe('Instead of direction'),
      to: pointInput.optional(),
      distance: z.number().min(0.05).max(0.95).default(0.5).describe('Of the scrolled area, per swipe'),
      within: selectorInput.optional().describe('What to scroll; else the largest list'),
      untilVisible: selectorInput.optional(),
      maxSwipes: z.int().min(1).max(30).default(10).describe('For untilVisible'),
      durationMs: z.int().min(50).max(5_000).default(300),
      observe: observeInput
    }).refine(({ direction, from, to }) => direction === undefined ? from !== undefined && to !== undefined : from === undefined && to === undefined, {
      error: 'Give either `direction`, or both `from` and `to`.'
    }).refine(({ direction, within, untilVisible }) => direction !== undefined || (within === undefined && untilVisible === undefined), {
      error: '`within` and `untilVisible` go with `direction`.'
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    reports: true,
    run ({ lease: handle, direction, from, to, distance, within, untilVisible, maxSwipes, durationMs, observe }, call) {
      const { progress } = call
      const limitMs = untilVisible === undefined ? undefined : maxSwipes * (durationMs + longestLookMs)
      return uses.acting({ handle, call, limitMs }, async (use) => {
        const { screen } = await use.look()
        if (direction === undefined) {
          // The schema has seen to it that both points are there.
          const [start, end] = [inPixels(from!, screen.size), inPixels(to!, screen.size)]
          await swipe(use, [start, end], durationMs)
          const done = `Swiped from ${start.x},${start.y} to ${end.x},${end.y}.`
          return await actionOutput({ scheduler }, use, { done, facts: { swipes: 1 }, observe, before: screen.fingerprint })
        }

        if (untilVisible !== undefined) {
          const { found, after, swipes } = await scrollTo(use, screen, { direction, distance, within, untilVisible, maxSwipes, durationMs, progress })
          const done = `${elementName(found)} is in sight after ${swipes} swipe${swipes === 1 ? '' : 's'} ${direction}.`
          return await actionOutput({ scheduler }, use, { done, facts: { swipes, ref: found.ref }, observe, before: screen.fingerprint, after })
        }
        await swipe(use, path(area(screen, within, use), direction, distance), durationMs)
        return await actionOutput({ scheduler }, use, {
          done: `Scrolled ${direction}.`, facts: { swipes: 1 }, observe, before: screen.fingerprint
        })
      })
    }
  })

  return [swipeOn]
}

interface Search {
  readonly direction: Direction
  readonly distance: number
  readonly within: Selector | undefined
  readonly untilVisible: Selector
  readonly maxSwipes: number
  readonly durationMs: number
  readonly progress: ToolCall['progress']
}

/** Swipes until the element is in sight, the content ends, or it has swiped often enough. */
async function scrollTo (
  use: DeviceUse, first: Screen, { direction, distance, within, untilVisible, maxSwipes, durationMs, progress }: Search
): Promise<{ readonly found: ScreenElement, readonly after: Screen, readonly swipes: number }> {
  let screen = first
  for (let swipes = 0; ; swipes++) {
    const found = findElements(screen, untilVisible, use.memory)[untilVisible.index ?? 0]
    if (found !== undefined) return { found, after: screen, swipes }
    if (swipes === maxSwipes) throw notFound(untilVisible, swipes, 'It was not found on the way.')

    await swipe(use, path(area(screen, within, use), direction, distance), durationMs)
    progress({ progress: swipes + 1, total: maxSwipes, message: `Scrolling ${direction}` })
    const { screen: next } = await use.look()
    if (next.fingerprint === screen.fingerprint) throw notFound(untilVisible, swipes + 1, `There is nothing further ${direction}.`)
    screen = next
  }
}

function notFound (selector: Selector, swipes: number, because: string): NoMatchRefusal {
  return new NoMatchRefusal(selector, {
    nearest: [],
    because: `${because} (${swipes} swipe${swipes === 1 ? '' : 's'})`,
    nextAction: 'Observe; then try the other direction, another list with `within`, or more maxSwipes.',
    details: { swipes }
  })
}

async function swipe (use: DeviceUse, [from, to]: readonly [Point, Point], durationMs: number): Promise<void> {
  ensureNotCancelled(use.command.signal)
  await use.driver.swipe(from, to, { durationMs }, use.command)
}

/** What is scrolled: the element asked for, else the largest list in sight, else the whole screen. */
function area (screen: Screen, within: Selector | undefined, use: DeviceUse): Rect {
  if (within !== undefined) return selectElement(screen, within, { purpose: 'scroll', memory: use.memory }).rect
  const lists = screen.elements.filter((element) => element.scrollable && element.visible).map(({ rect }) => rect)
  const whole = { x: 0, y: 0, ...screen.size }
  return lists.reduce((largest, rect) => largest === undefined || surface(rect) > surface(largest) ? rect : largest, lists[0]) ?? whole
}

function surface ({ width, height }: Rect): number {
  return width * height
}

/** From where to where the finger moves so that the content further in `direction` comes into sight. */
function path ({ x, y, width, height }: Rect, direction: Direction, distance: number): readonly [Point, Point] {
  const near = (1 - distance) / 2
  const far = (1 + distance) / 2
  const at = (across: number, down: number): Point => ({ x: Math.floor(x + width * across), y: Math.floor(y + height * down) })
  switch (direction) {
    case 'down': return [at(0.5, far), at(0.5, near)]
    case 'up': return [at(0.5, near), at(0.5, far)]
    case 'right': return [at(far, 0.5), at(near, 0.5)]
    case 'left': return [at(near, 0.5), at(far, 0.5)]
  }
}
