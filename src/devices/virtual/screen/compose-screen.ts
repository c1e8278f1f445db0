/**
 * Puts a screen together from the state of a phone, in layers: what is in front, the soft
 * keyboard, an app's dialog, a dialog of the phone, the lock screen, a toast. Whatever lies
 * below a dialog or the lock screen is drawn but cannot be reached, by touch or in the tree.
 */
import type { Rect } from '../../device-types.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import type { DialogNode } from '../apps/app-node.ts'
import { isTruthy } from '../apps/json-value.ts'
import { withNames } from '../apps/scope.ts'
import { screenSize, type PhoneProfile } from '../phone/phone-profile.ts'
import { appNameIn } from '../phone/app-name.ts'
import { isRightToLeft, languageOf } from '../phone/languages.ts'
import { localeOf, textScaleOf } from '../phone/phone-settings.ts'
import { scopeOf, topOf } from '../phone/app-scope.ts'
import type { AppProcess, DeviceVariables, InstalledApp, PhoneState } from '../phone/phone-state.ts'
import { placeAppScreen } from './app-view.ts'
import { mirrorBox, settleBox, type Box, type Draft } from './box.ts'
import { withInnerBoxes, type Layer, type Screen } from './composed-screen.ts'
import { placeKeyboard } from './keyboard.ts'
import { mostBoxes, type Layout } from './layout.ts'
import { placeDialog, placeSystemDialog, placeToast } from './overlays.ts'
import { systemWordsOf } from './system-words.ts'
import { placeHome, placeLock, placeRecents } from './system-views.ts'

const noField = { submit: undefined, multiline: false }

/** What the phone shows. */
export function composeScreen (state: PhoneState, profile: PhoneProfile): Screen {
  const composed = compose(state, profile)
  const screen = composed.isMirrored ? { ...composed, layers: composed.layers.map((layer) => mirrored(layer, composed.size.width)) } : composed
  return { ...screen, weight: screen.layers.reduce((sum, { boxes }) => sum + boxes.reduce((some, box) => some + weightOf(box), 0), 0) }
}

/** The keys of a keyboard stand where they stand, in every language. */
function mirrored (layer: Layer, width: number): Layer {
  return { ...layer, boxes: layer.boxes.map((box) => (box.key === 'keyboard' ? box : mirrorBox(box, width))) }
}

// A line of text takes about as much as a box.
function weightOf (box: Box): number {
  const lines = box.paints.reduce((sum, paint) => sum + (paint.kind === 'text' ? paint.lines.length : 0), 0)
  return box.children.reduce((sum, child) => sum + weightOf(child), 1 + lines)
}

function compose (state: PhoneState, profile: PhoneProfile): Omit<Screen, 'weight'> {
  const size = screenSize(profile, state.orientation)
  const isMirrored = isRightToLeft(localeOf(state.device))
  const { density, platform } = profile
  const whole: Rect = { x: 0, y: 0, ...size }
  const statusBar = profile.statusBar[state.orientation] * density
  const inset = profile.bottomInset * density
  const area: Rect = { x: 0, y: statusBar, width: size.width, height: size.height - statusBar - inset }
  const belowStatusBar: Rect = { ...area, height: size.height - statusBar }
  const locale = localeOf(state.device)
  const say = systemWordsOf(languageOf(locale))
  const nameOf = (app: AppDefinition): string => appNameIn(locale, app)
  const base = { size, orientation: state.orientation, activity: undefined, keyboardShown: false, isDark: isTruthy(state.device.darkTheme), isMirrored }

  if (!state.awake) return { ...base, app: null, backdrop: 'off', layers: [] }
  const layoutFor = (offsets: Map<string, number>): Layout => ({
    platform, density, textDensity: density * textScaleOf(state.device), offsets, focus: state.focus, canPaste: state.clipboard !== '', say, nameOf, budget: { boxes: mostBoxes }
  })
  const homeLayout = layoutFor(state.homeOffsets)
  if (state.locked) {
    return { ...base, app: null, backdrop: 'wallpaper', layers: [layerOf(placeLock(area, homeLayout), whole)] }
  }

  const toast = state.toast === undefined ? [] : [layerOf([placeToast(state.toast.text, area, homeLayout)], whole)]
  const systemDialog = state.systemDialog === undefined
    ? []
    : [layerOf([placeSystemDialog(state.systemDialog, area, homeLayout)], whole, 'dialog')]
  const front = state.front.view === 'app' ? state.apps.get(state.front.app) : undefined

  if (front?.process === undefined) {
    const drafts = state.front.view === 'recents'
      ? placeRecents(state.recents.flatMap((id) => state.apps.get(id)?.app ?? []), area, homeLayout)
      : placeHome([...state.apps.values()].map(({ app }) => app), area, homeLayout)
    return { ...base, app: null, backdrop: 'wallpaper', layers: [layerOf(drafts, belowStatusBar), ...systemDialog, ...toast] }
  }

  const keyboardShown = state.keyboard.shown && state.focus !== undefined && systemDialog.length === 0
  const keyboardHeight = keyboardShown ? Math.round(size.height * (state.orientation === 'portrait' ? 1 / 3 : 0.46)) : 0
  const keyboardArea: Rect = { x: 0, y: size.height - keyboardHeight, width: size.width, height: keyboardHeight }
  const room: Rect = keyboardShown ? { ...area, height: keyboardArea.y - area.y } : belowStatusBar
  const layout = layoutFor(topOf(front.process).offsets)
  const { screen, dialog } = placeApp(front, front.process, { room, inset: keyboardShown ? 0 : inset, layout, profile, device: state.device })
  const below = [layerOf(screen, room), ...dialog.map((draft) => layerOf([draft], room, 'dialog'))]
  const keys = keyboardShown ? [keyboardLayer(below, state, profile, keyboardArea, inset)] : []
  return {
    ...base,
    app: front.app.id,
    activity: topOf(front.process).screen,
    backdrop: 'app',
    keyboardShown,
    layers: [...below, ...keys, ...systemDialog, ...toast]
  }
}

function placeApp (front: InstalledApp, process: AppProcess, { room, inset, layout, profile, device }: {
  readonly room: Rect
  /** How much of the lower end of the room belongs to the system. */
  readonly inset: number
  readonly layout: Layout
  readonly profile: PhoneProfile
  readonly device: DeviceVariables
}): { readonly screen: Draft[], readonly dialog: Draft[] } {
  const entry = topOf(process)
  const definition = front.app.screens.get(entry.screen)
  if (definition === undefined) throw new Error(`${front.app.id} has no screen ${entry.screen}`)
  const scope = scopeOf(front, process, entry, device)
  const screen = placeAppScreen(definition, { scope, area: room, inset, layout, profile, canGoBack: process.stack.length > 1 })
  const open = definition.content.find((node): node is DialogNode => node.role === 'dialog' && node.id === entry.dialog?.id)
  if (open === undefined) return { screen, dialog: [] }
  const dialogScope = withNames(scope, { params: { ...entry.params, ...entry.dialog?.params } })
  return { screen, dialog: [placeDialog(open, dialogScope, { ...room, height: room.height - inset }, layout)] }
}

function keyboardLayer (below: readonly Layer[], state: PhoneState, profile: PhoneProfile, area: Rect, inset: number): Layer {
  const focused = below.flatMap(({ boxes }) => boxes.flatMap(withInnerBoxes)).find(({ key }) => key === state.focus?.key)
  const { submit, multiline } = focused?.field ?? noField
  const keys = placeKeyboard({ ...area, height: area.height - inset }, {
    say: systemWordsOf(languageOf(localeOf(state.device))),
    layer: state.keyboard.layer,
    platform: profile.platform,
    density: profile.density,
    enter: multiline ? 'return' : submit === undefined ? 'done' : 'go'
  })
  // The surface reaches down to the edge of the screen.
  return layerOf([{ ...keys, rect: area }], area)
}

function layerOf (drafts: readonly Draft[], clip: Rect, kind: 'plain' | 'dialog' = 'plain'): Layer {
  const isDialog = kind === 'dialog'
  return { boxes: drafts.map((draft) => settleBox(draft, clip)), isModal: isDialog, hasScrim: isDialog }
}
