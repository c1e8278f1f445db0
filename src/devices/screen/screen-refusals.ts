import { Refusal, type Retry } from '../../refusals/refusal.ts'
import { quote, shorten, withoutActing } from '../../text/quote.ts'
import { elementName } from './screen-lines.ts'
import type { ScreenElement } from './screen.ts'
import { describeSelector, type Selector } from './selector.ts'

const mostCandidates = 5

/** Nothing on the screen is what the selector describes. */
export class NoMatchRefusal extends Refusal {
  readonly code = 'no_match'

  constructor (selector: Selector, facts: {
    /** Names on the screen that come closest. */
    readonly nearest: readonly string[]
    /** A sentence that says more, e.g. that the element is scrolled out of sight. */
    readonly because?: string
    readonly nextAction?: string
    readonly details?: Readonly<Record<string, unknown>>
  }) {
    super({
      message: `Nothing on the screen matches ${describeSelector(selector)}.${facts.because === undefined ? '' : ` ${facts.because}`}`,
      retryable: true,
      nextAction: facts.nextAction ??
        'Use one of the nearest names, or observe; if the element should come soon, waitFor it; if it is further down, swipeOn with untilVisible.',
      details: { nearest: facts.nearest.map((name) => shorten(withoutActing(name), 100)), ...facts.details }
    })
  }
}

/** Several elements are what the selector describes. */
export class AmbiguousRefusal extends Refusal {
  readonly code = 'ambiguous'

  constructor (selector: Selector, matches: readonly ScreenElement[]) {
    super({
      message: `${matches.length} elements match ${describeSelector(selector)}.`,
      retryable: false,
      nextAction: 'Use the ref of one of the candidates, or add `index` (from 0, in this order), `role` or `within`.',
      details: {
        count: matches.length,
        candidates: matches.slice(0, mostCandidates).map(({ ref, role, label }) => ({ ref, role, label: shorten(withoutActing(label), 100) }))
      }
    })
  }
}

/** The ref names an element of an earlier screen that is not on this one, or not for certain. */
export class StaleRefRefusal extends Refusal {
  readonly code = 'stale_ref'

  constructor (ref: string, { element, alike }: {
    /** What the ref stood for, while that is remembered. */
    readonly element: ScreenElement | undefined
    /** What looks like it on the screen as it is now. */
    readonly alike: ScreenElement | undefined
  }) {
    super({
      message: element === undefined
        ? `${quote(ref)} is from a screen too long ago.`
        : alike === undefined
          ? `${elementName(element)} is no longer on the screen.`
          : `${elementName(element)} is of an earlier screen; ${alike.ref} looks like it, but may belong to something else.`,
      retryable: false,
      nextAction: 'Call observe and use a ref of the new screen.',
      details: { ref, ...(alike === undefined ? {} : { alike: alike.ref }) }
    })
  }
}

/** The element is there but scrolled out of sight, so it cannot be touched. */
export class OffscreenRefusal extends Refusal {
  readonly code = 'offscreen'

  constructor (element: ScreenElement) {
    super({
      message: `${elementName(element)} is scrolled out of sight.`,
      retryable: false,
      nextAction: 'Call swipeOn with untilVisible to bring it into sight.',
      details: { ref: element.ref }
    })
  }
}

const inAMoment: Retry = { retryable: true, retryAfterMs: 1_000 }

/** The pattern of `textMatches` cannot be used. */
export class InvalidPatternRefusal extends Refusal {
  readonly code = 'invalid_pattern'

  constructor (pattern: string, { problem, isForNow = false, cause }: {
    readonly problem: string
    /** The pattern itself may be right. */
    readonly isForNow?: boolean
    readonly cause?: unknown
  }) {
    super({
      message: `The pattern ${quote(pattern, 60)} cannot be used: ${problem}.`,
      ...(isForNow ? inAMoment : { retryable: false }),
      nextAction: isForNow
        ? 'Wait a moment and repeat the call, or use a plain `text`.'
        : 'Use a plain `text`, or a simpler pattern without repetitions inside repetitions.',
      cause
    })
  }
}
