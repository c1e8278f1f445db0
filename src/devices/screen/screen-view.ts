/**
 * What of a screen is told, as lines and as data.
 *
 * The data says the same as the lines, no more: many clients show a model both, some only one
 * of them. With `lines` an element is `{ref, role, label}` and what is remarkable about it;
 * ids, places and whole texts come with `full`, where they were asked for.
 */
import type { UiNode } from '../device-types.ts'
import { quote, shorten, withoutActing } from '../../text/quote.ts'
import { rawTree } from './raw-tree.ts'
import { elementLine, flagsOf, headLine, textLimits, type Detail } from './screen-lines.ts'
import type { Screen, ScreenElement } from './screen.ts'

// About what a client takes as one result, however long the texts on the screen are.
const mostCharacters = 60_000
const mostRawNodes = 1_000

export interface ScreenView {
  readonly lines: readonly string[]
  readonly data: Readonly<Record<string, unknown>>
}

export interface ViewOptions {
  readonly detail: Detail
  /** Most elements told. */
  readonly max: number
  readonly includeOffscreen: boolean
  /** Only this element and what is inside it. */
  readonly within?: ScreenElement
}

export const defaultView = { detail: 'lines', max: 120, includeOffscreen: false } as const satisfies ViewOptions

/** The whole screen, or the part asked for. */
export function viewScreen (screen: Screen, options: ViewOptions): ScreenView {
  const chosen = choose(screen, options)
  const shown = fit(chosen, options)
  const truncated = shown.length < chosen.length ? { shown: shown.length, total: chosen.length } : undefined
  return {
    lines: [
      headLine(screen),
      ...shown.map((element) => elementLine(element, options.detail)),
      ...truncatedLine(truncated),
      ...warningLines(screen.warnings)
    ],
    data: {
      ...headData(screen, options.detail),
      elements: shown.map((element) => elementData(element, options.detail)),
      ...(truncated === undefined ? {} : { truncated }),
      ...warningsData(screen.warnings)
    }
  }
}

/** What differs from an earlier screen: `+` new, `~` changed, `-` gone. */
export function viewChanges (before: Screen, screen: Screen, options: ViewOptions): ScreenView {
  const { detail } = options
  const earlier = new Map(choose(before, options).map((element) => [element.ref, elementLine(element, detail)]))
  const now = choose(screen, options)
  const added = now.filter(({ ref }) => !earlier.has(ref))
  const changed = now.filter((element) => {
    const line = earlier.get(element.ref)
    return line !== undefined && line !== elementLine(element, detail)
  })
  const present = new Set(now.map(({ ref }) => ref))
  const removed = [...earlier.keys()].filter((ref) => !present.has(ref))

  const told = fit([...added, ...changed], options)
  const total = added.length + changed.length
  const truncated = told.length < total ? { shown: told.length, total } : undefined
  const isAdded = new Set(added)
  const toldAdded = told.filter((element) => isAdded.has(element))
  const toldChanged = told.filter((element) => !isAdded.has(element))
  return {
    lines: [
      `${headLine(screen)}, changes since rev ${before.rev}${total + removed.length === 0 ? ': none' : ''}`,
      ...(removed.length === 0 ? [] : [`- ${removed.join(' ')}`]),
      ...toldChanged.map((element) => `~ ${elementLine(element, detail)}`),
      ...toldAdded.map((element) => `+ ${elementLine(element, detail)}`),
      ...truncatedLine(truncated),
      ...warningLines(screen.warnings)
    ],
    data: {
      ...headData(screen, detail),
      since: before.rev,
      removed,
      changed: toldChanged.map((element) => elementData(element, detail)),
      added: toldAdded.map((element) => elementData(element, detail)),
      ...(truncated === undefined ? {} : { truncated }),
      ...warningsData(screen.warnings)
    }
  }
}

/** The tree as the platform reported it, as far as it goes into one result. */
export function viewRaw (screen: Screen, root: UiNode): ScreenView {
  const { tree, shown, total, isCut } = rawTree(root, mostRawNodes)
  const truncated = shown < total ? { shown, total } : undefined
  return {
    lines: [
      headLine(screen),
      JSON.stringify(tree),
      ...(truncated === undefined ? [] : [`(${shown} of ${total} nodes shown)`]),
      ...(isCut ? ['(texts of nodes with `cut` are longer than what is shown)'] : []),
      ...warningLines(screen.warnings)
    ],
    data: {
      ...headData(screen, 'full'),
      tree,
      ...(truncated === undefined ? {} : { truncated }),
      ...warningsData(screen.warnings)
    }
  }
}

/** The facts of a screen besides its elements. */
function headData (screen: Screen, detail: Detail): Record<string, unknown> {
  const focused = screen.elements.find((element) => element.focused)
  return {
    rev: screen.rev,
    ...(detail === 'full' ? { at: new Date(screen.capturedAtMs).toISOString() } : {}),
    app: screen.app,
    ...(screen.activity === undefined ? {} : { activity: screen.activity }),
    size: [screen.size.width, screen.size.height],
    orientation: screen.orientation,
    keyboard: screen.keyboardShown,
    locked: screen.locked,
    ...(screen.displayOff ? { displayOff: true } : {}),
    ...(focused === undefined ? {} : { focusedRef: focused.ref })
  }
}

/** One element as data. */
export function elementData (element: ScreenElement, detail: Detail): Record<string, unknown> {
  const { ref, role, label, value, id, rect } = element
  const flags = flagsOf(element)
  return {
    ref,
    role,
    label: told(label, detail),
    ...(value === undefined ? {} : { value: told(value, detail) }),
    ...(detail === 'full' ? { ...(id === undefined ? {} : { id }), rect: [rect.x, rect.y, rect.width, rect.height] } : {}),
    ...(flags.length === 0 ? {} : { flags })
  }
}

function choose (screen: Screen, { within, includeOffscreen }: ViewOptions): readonly ScreenElement[] {
  const start = within === undefined ? 0 : screen.elements.indexOf(within)
  const scope = within === undefined ? screen.elements : screen.elements.slice(start, within.insideEnd)
  return includeOffscreen ? scope : scope.filter((element) => element.visible)
}

/** As many of the elements as may be told. */
function fit (elements: readonly ScreenElement[], { max, detail }: ViewOptions): readonly ScreenElement[] {
  let characters = 0
  const end = elements.findIndex((element, index) => {
    characters += elementLine(element, detail).length
    return index === max || characters > mostCharacters
  })
  return end === -1 ? elements : elements.slice(0, end)
}

// The words of the app, with nothing that acts on a reader: a text is found without that, too.
function told (text: string, detail: Detail): string {
  return shorten(withoutActing(text), textLimits[detail])
}

function truncatedLine (truncated: { readonly shown: number, readonly total: number } | undefined): string[] {
  return truncated === undefined
    ? []
    : [`(${truncated.shown} of ${truncated.total} elements shown; ask with \`within\` or a higher \`max\` for the others)`]
}

function warningLines (warnings: readonly string[]): string[] {
  return warnings.map((warning) => `warning ${quote(warning, 300)}`)
}

function warningsData (warnings: readonly string[]): Record<string, unknown> {
  return warnings.length === 0 ? {} : { warnings }
}
