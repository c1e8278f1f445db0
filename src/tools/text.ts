import { z } from 'zod'
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import { Refusal } from '../refusals/refusal.ts'
import { quote, shorten } from '../text/quote.ts'
import { NoFocusedFieldRefusal } from '../devices/device-refusals.ts'
import { obstaclesOf } from '../devices/screen/obstacles.ts'
import { elementName } from '../devices/screen/screen-lines.ts'
import { selectElement } from '../devices/screen/select-element.ts'
import { tapPoint } from '../devices/screen/tap-point.ts'
import type { Screen, ScreenElement } from '../devices/screen/screen.ts'
import type { Selector } from '../devices/screen/selector.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { actionOutput } from './action-output.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import type { DeviceUse } from './device-use.ts'
import { leaseInput, observeInput } from './lease-input.ts'
import { pause } from '../runtime/abortable.ts'
import { selectorInput } from './selector-input.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'
import { InvalidTextRefusal } from './tool-refusals.ts'

const longestText = 10_000
const focusLooks = 5
const focusPauseMs = 150
const outcomeLooks = 2
const longestValueTold = 200

/** Tools that fill text fields. */
export function createTextTools ({ uses, scheduler }: Pick<DeviceToolParts, 'uses' | 'scheduler'>): ToolDefinition[] {
  const inputText = defineTool({
    name: 'inputText',
    title: 'Type text',
    description:
      'Types text into the field `into` (tapped first), or into the focused field. clear empties it before, submit presses enter after. ' +
      'Any language and emoji; line feed and tab are the only control characters. Returns the next screen.',
    input: z.strictObject({
      lease: leaseInput,
      text: z.string().max(longestText).describe(`${longestText} characters at most`),
      into: selectorInput.optional(),
      clear: z.boolean().default(false),
      submit: z.boolean().default(false),
      observe: observeInput
    }).refine(({ text, clear, submit }) => text !== '' || clear || submit, {
      path: ['text'],
      error: 'With an empty `text` there is nothing to do unless `clear` or `submit` is set.'
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    async run ({ lease: handle, text, into, clear, submit, observe }, call) {
      ensureTypeable(text)
      return await uses.acting({ handle, call }, async (use) => {
        const { field, before } = await focus(use, into, scheduler)
        const { driver, command } = use
        if (clear) await step(use, () => driver.clearText(command))
        if (text !== '') await step(use, () => driver.typeText(text, command))
        // Enter often leaves the screen, so what the field took is found out before.
        const outcome = text === '' && !clear
          ? undefined
          : await readOutcome(use, scheduler, { text, wasEmpty: clear || (field !== undefined && field.value === undefined) })
        if (submit) await step(use, () => driver.pressKey('enter', { count: 1, long: false }, command))

        // A text that was taken as it is, is not repeated: it may be a secret, and the screen shows it.
        const characters = [...text].length
        return await actionOutput({ scheduler }, use, {
          done: `${whatWasDone({ characters, clear, submit }, field)}${outcome?.sentence ?? ''}`,
          facts: { characters, ...(field === undefined ? {} : { ref: field.ref }), ...outcome?.facts },
          observe,
          before,
          ...(submit || outcome?.screen === undefined ? {} : { after: outcome.screen })
        })
      })
    }
  })

  const clearText = defineTool({
    name: 'clearText',
    title: 'Clear a field',
    description: 'Empties the field `target` (tapped first), or the focused field. Returns the next screen.',
    input: z.strictObject({ lease: leaseInput, target: selectorInput.optional(), observe: observeInput }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    run ({ lease: handle, target, observe }, call) {
      return uses.acting({ handle, call }, async (use) => {
        const { field, before } = await focus(use, target, scheduler)
        await step(use, () => use.driver.clearText(use.command))
        const outcome = await readOutcome(use, scheduler, { text: '', wasEmpty: true })
        return await actionOutput({ scheduler }, use, {
          done: `Cleared ${field === undefined ? 'the focused field' : elementName(field)}.${outcome.sentence}`,
          facts: { ...(field === undefined ? {} : { ref: field.ref }), ...outcome.facts },
          observe,
          before,
          ...(outcome.screen === undefined ? {} : { after: outcome.screen })
        })
      })
    }
  })

  return [inputText, clearText]
}

interface Focused {
  /** Undefined for whichever field has the focus. */
  readonly field: ScreenElement | undefined
  /** Fingerprint of the screen as it was before anything was touched. */
  readonly before: string | undefined
}

/** What does something else when it is tapped than to take a text. */
const noFields: ReadonlySet<string> = new Set(['button', 'switch', 'checkbox', 'tab', 'key'])

/**
 * Taps what is meant and waits until it has the focus: typing any earlier would go into the
 * field that had it before. A target that is no field may bring up another one, unless a tap
 * would surely do something else.
 *
 * @throws {NoFocusedFieldRefusal} it does not take the focus
 */
async function focus (use: DeviceUse, selector: Selector | undefined, scheduler: Scheduler): Promise<Focused> {
  if (selector === undefined) return { field: undefined, before: use.memory.latest()?.fingerprint }
  const { screen } = await use.look()
  const target = selectElement(screen, selector, { purpose: 'type', memory: use.memory })
  if (noFields.has(target.role)) throw new NoFocusedFieldRefusal({ untouched: elementName(target) })
  ensureNotCancelled(use.command.signal)
  await use.driver.tap(tapPoint(screen, target), { count: 1, holdMs: 0 }, use.command)

  for (let look = 1; look <= focusLooks; look++) {
    if (look > 1) await pause(scheduler, focusPauseMs, use.command.signal)
    const { screen: now } = await use.look()
    const focused = now.elements.find((element) => element.focused && element.role === 'field')
    const hasAnswered = now.fingerprint !== screen.fingerprint || look === focusLooks
    if (focused !== undefined && (target.role === 'field' ? focused.ref === target.ref : hasAnswered)) return { field: focused, before: screen.fingerprint }
  }
  throw new NoFocusedFieldRefusal({ name: elementName(target), isField: target.role === 'field', isEnabled: target.enabled })
}

/** What the field holds after typing, where that is not the text alone. */
interface Outcome {
  /** Begins with a blank; empty when the field holds the text. */
  readonly sentence: string
  readonly facts: Readonly<Record<string, unknown>>
  /** The screen after typing, where it differs from the one before. */
  readonly screen?: Screen
}

/**
 * Finds out what the field took: it may be full, have one line, or change what it is given. A
 * field that does not hold the text yet is looked at once more, since apps answer late.
 */
async function readOutcome (
  use: DeviceUse, scheduler: Scheduler, typed: { readonly text: string, readonly wasEmpty: boolean }
): Promise<Outcome> {
  const before = use.memory.latest()?.fingerprint
  for (let look = 1; ; look++) {
    const screen = await lookIfPossible(use)
    if (screen === undefined) return { sentence: '', facts: {} }
    const told = tell(screen.elements.find((element) => element.focused && element.role === 'field'), typed)
    const seen = screen.fingerprint === before ? {} : { screen }
    if (told === undefined) return { sentence: '', facts: {}, ...seen }
    if (look === outcomeLooks) return { ...told, ...seen }
    await pause(scheduler, focusPauseMs, use.command.signal)
  }
}

/** The text has been typed, so a look that fails now refuses nothing. */
async function lookIfPossible (use: DeviceUse): Promise<Screen | undefined> {
  try {
    return (await use.look()).screen
  } catch (error) {
    if (error instanceof Refusal && !use.command.signal.aborted) return undefined
    throw error
  }
}

/** @returns undefined when the field holds the text and nothing else, or is gone */
function tell (field: ScreenElement | undefined, { text, wasEmpty }: { readonly text: string, readonly wasEmpty: boolean }): Outcome | undefined {
  if (field === undefined || field.wholeDigest !== undefined) return undefined
  const value = field.value ?? ''
  const [typed, held] = [[...text].length, [...value].length]
  // Of a password only its length can be seen.
  if (value.trim() === text.trim() || (field.password && (held === typed || !wasEmpty))) return undefined

  const facts = { value: shorten(value, longestValueTold), valueLength: held }
  const holds = field.password ? `${held} characters` : quote(value, longestValueTold)
  if (wasEmpty && held < typed) return { sentence: ` The field took only ${held} of them: it holds ${holds}.`, facts }
  const isWhole = value.includes(text) || (field.password && held > typed)
  if (!isWhole && value.includes(text.replace(/[\n\t]/g, ' '))) return { sentence: ` Line feeds and tabs became blanks: it holds ${holds}.`, facts }
  return { sentence: isWhole ? ` The field holds ${holds} now.` : ` The field did not take it as typed: it holds ${holds}.`, facts }
}

function whatWasDone (
  { characters, clear, submit }: { readonly characters: number, readonly clear: boolean, readonly submit: boolean }, field: ScreenElement | undefined
): string {
  const where = field === undefined ? 'the focused field' : elementName(field)
  const end = submit ? ' and pressed enter.' : '.'
  if (characters > 0) return `${clear ? 'Cleared and typed' : 'Typed'} ${characters} character${characters === 1 ? '' : 's'} into ${where}${end}`
  if (clear) return `Cleared ${where}${end}`
  return field === undefined ? 'Pressed enter.' : `Tapped ${where}${end}`
}

async function step (use: DeviceUse, work: () => Promise<void>): Promise<void> {
  ensureNotCancelled(use.command.signal)
  try {
    await work()
  } catch (error) {
    if (!(error instanceof NoFocusedFieldRefusal)) throw error
    // A locked phone has no field, and saying that helps more than asking for one.
    const screen = await lookIfPossible(use)
    const [obstacle] = screen === undefined ? [] : obstaclesOf(screen)
    throw obstacle === undefined ? error : new NoFocusedFieldRefusal({ obstacle })
  }
}

/** @throws {InvalidTextRefusal} a character no keyboard has, or half of one */
function ensureTypeable (text: string): void {
  const control = text.search(/[^\P{Cc}\n\t]/u)
  if (control !== -1) throw new InvalidTextRefusal({ problem: 'it has a control character', position: control })
  const half = text.search(/\p{Cs}/u)
  if (half !== -1) throw new InvalidTextRefusal({ problem: 'it has half of a surrogate pair', position: half })
}
