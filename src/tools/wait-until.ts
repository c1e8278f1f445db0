import { plainPunctuation } from '../devices/screen/fold.ts'
import { findElements, selectElement, whyUnseen } from '../devices/screen/select-element.ts'
import { defaultView, viewScreen } from '../devices/screen/screen-view.ts'
import type { LeaseScreens } from '../devices/screen/screen-memory.ts'
import type { Screen, ScreenElement } from '../devices/screen/screen.ts'
import { describeSelector, type Selector } from '../devices/screen/selector.ts'
import { quote } from '../text/quote.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { DeviceUse } from './device-use.ts'
import { pause } from '../runtime/abortable.ts'
import type { ToolCall } from './tool-definition.ts'
import { WaitTimeoutRefusal } from './tool-refusals.ts'

const progressEveryMs = 1_000
const linesInRefusal = 40

export const awaitedStates = ['visible', 'gone', 'enabled', 'checked', 'text'] as const

/** What has to come about on the screen. */
export interface Condition {
  readonly selector: Selector
  readonly state: (typeof awaitedStates)[number]
  /** For `text`: what the element's label or value has to contain. */
  readonly text?: string | undefined
}

export interface WaitOptions {
  readonly timeoutMs: number
  readonly pollMs: number
  readonly progress: ToolCall['progress']
  readonly log: ToolCall['log']
  /** Told of each pause between two looks. */
  readonly noteWait: (pausedMs: number) => void
  /** What the call has done already, as a sentence, in case the wait is in vain. */
  readonly done?: string
}

export interface Waited {
  readonly screen: Screen
  /** Absent when the element is gone, as wanted. */
  readonly element: ScreenElement | undefined
  readonly waitedMs: number
  /** Whether something matched the selector on any look; what never did is not gone, but perhaps misspelt. */
  readonly wasSeen: boolean
}

/**
 * Looks again and again until the condition holds, the last time when the time is up. A look
 * that fails in a way that may pass counts as one on which it does not hold.
 *
 * @throws {WaitTimeoutRefusal} it does not hold in time
 */
export async function waitUntil (
  { clock, scheduler }: { readonly clock: Clock, readonly scheduler: Scheduler },
  use: DeviceUse,
  condition: Condition,
  { timeoutMs, pollMs, progress, log, noteWait, done }: WaitOptions
): Promise<Waited> {
  const { signal } = use.command
  const startMs = clock.monotonicMs()
  let reportedMs = -progressEveryMs
  let seenRev: number | undefined
  let wasSeen = false

  for (;;) {
    const look = await tryToLook(use)
    const waitedMs = Math.round(clock.monotonicMs() - startMs)
    const met = look.screen === undefined ? undefined : meets(look.screen, condition, use.memory)
    wasSeen ||= met?.element !== undefined || (look.screen !== undefined && met === undefined && condition.state === 'gone')
    if (met !== undefined) return { ...met, waitedMs, wasSeen }
    if (waitedMs >= timeoutMs) {
      if (look.screen === undefined && done === undefined) throw look.refusal
      throw new WaitTimeoutRefusal({
        awaited: describeCondition(condition),
        waitedMs,
        ...(look.screen === undefined || condition.state === 'gone' ? {} : whyUnmet(look.screen, condition, use.memory)),
        ...(done === undefined ? {} : { done }),
        screen: look.screen === undefined ? [look.refusal.message] : viewScreen(look.screen, { ...defaultView, max: linesInRefusal }).lines
      })
    }
    if (look.screen !== undefined && look.screen.rev !== seenRev) {
      log(seenRev === undefined ? 'debug' : 'info', { event: 'screenSeen', rev: look.screen.rev, app: look.screen.app, waitedMs })
      seenRev = look.screen.rev
    }
    if (waitedMs - reportedMs >= progressEveryMs) {
      reportedMs = waitedMs
      progress({ progress: waitedMs, total: timeoutMs, message: `Waiting for ${describeCondition(condition)}` })
    }
    const pausedAtMs = clock.monotonicMs()
    await pause(scheduler, Math.min(pollMs, timeoutMs - waitedMs), signal)
    noteWait(clock.monotonicMs() - pausedAtMs)
  }
}

async function tryToLook (use: DeviceUse): Promise<{ readonly screen: Screen } | { readonly screen: undefined, readonly refusal: Refusal }> {
  try {
    const { screen } = await use.look()
    return { screen }
  } catch (error) {
    if (error instanceof Refusal && error.retryable && !use.command.signal.aborted) return { screen: undefined, refusal: error }
    throw error
  }
}

function meets (screen: Screen, { selector, state, text }: Condition, memory: LeaseScreens): Omit<Waited, 'waitedMs' | 'wasSeen'> | undefined {
  const { index = 0 } = selector
  switch (state) {
    case 'visible': {
      const element = findElements(screen, selector, memory)[index]
      return element && { screen, element }
    }
    case 'gone':
      return findElements(screen, selector, memory)[index] === undefined ? { screen, element: undefined } : undefined
    case 'enabled': return holds('tap', (element) => element.enabled)
    case 'checked': return holds('check', (element) => element.checked === true)
    case 'text': {
      const wanted = plainPunctuation(text ?? '')
      return holds('read', ({ label, value }) => plainPunctuation(label).includes(wanted) || plainPunctuation(value ?? '').includes(wanted))
    }
  }

  function holds (purpose: 'tap' | 'check' | 'read', claim: (element: ScreenElement) => boolean) {
    if (findElements(screen, selector, memory)[index] === undefined) return undefined
    const element = selectElement(screen, selector, { purpose, memory })
    return claim(element) ? { screen, element } : undefined
  }
}

/** What can be told of an element that could not be seen. */
function whyUnmet (screen: Screen, { selector }: Condition, memory: LeaseScreens): ReturnType<typeof whyUnseen> {
  return findElements(screen, selector, memory).length > 0 ? undefined : whyUnseen(screen, selector)
}

function describeCondition ({ selector, state, text }: Condition): string {
  const element = describeSelector(selector)
  switch (state) {
    case 'visible': return `${element} to be visible`
    case 'gone': return `${element} to be gone`
    case 'enabled': return `${element} to be enabled`
    case 'checked': return `${element} to be checked`
    case 'text': return `${element} to say ${quote(text ?? '', 60)}`
  }
}
