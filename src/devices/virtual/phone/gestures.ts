import type { Point } from '../../device-types.ts'
import { writePath, readPath } from '../apps/scope.ts'
import { isTruthy } from '../apps/json-value.ts'
import type { Box, Touch } from '../screen/box.ts'
import { boxesAt } from '../screen/composed-screen.ts'
import { closeScreen, openApp, stopApp } from './app-life.ts'
import { topOf } from './app-scope.ts'
import { pressKey } from './keys.ts'
import { frontApp, type PhoneCore } from './phone-core.ts'
import { answerPermission } from './permissions.ts'
import { scrollBy } from './scrolling.ts'
import { focusBox, hideKeyboard, insertText, isAnyFieldFocused } from './text-input.ts'

const longPressMs = 400
// A finger that moves less than this taps, in dp.
const touchSlop = 8
// How far up a locked screen has to be swiped, of its height.
const unlockShare = 0.15

/** Touches the topmost enabled element at a point that takes touches; nothing happens where there is none. */
export function tapAt (core: PhoneCore, point: Point, holdMs: number): void {
  const boxes = boxesAt(core.screen(), point)
  const target = boxes.find(({ tap, longPress }) => tap !== undefined || longPress !== undefined)
  const touch = holdMs >= longPressMs ? target?.longPress ?? target?.tap : target?.tap
  if (target !== undefined && touch !== undefined) perform(core, touch, target)
}

/** Moves what scrolls under the finger exactly as far as the finger goes: there is no fling. */
export function swipeFrom (core: PhoneCore, from: Point, to: Point, durationMs: number): void {
  const { state, profile } = core
  const up = from.y - to.y
  if (Math.hypot(to.x - from.x, up) < touchSlop * profile.density) return tapAt(core, from, durationMs)
  if (state.locked && state.awake) {
    if (up >= core.screen().size.height * unlockShare) state.locked = false
    return core.changed()
  }
  const scroller = boxesAt(core.screen(), from).find(({ scroll }) => scroll !== undefined && scroll.furthest > 0)
  if (scroller?.scroll !== undefined) scrollBy(core, scroller.key, scroller.scroll, up)
}

function perform (core: PhoneCore, touch: Touch, box: Box): void {
  const front = frontApp(core)
  switch (touch.kind) {
    case 'run':
      if (front !== undefined) core.run(touch.actions, touch.scope, front.app, front.process)
      return
    case 'toggle':
      writePath(touch.scope, touch.path, !isTruthy(readPath(touch.scope, touch.path)))
      core.changed()
      if (front !== undefined) core.run(touch.actions, touch.scope, front.app, front.process)
      return
    case 'choose':
      writePath(touch.scope, touch.path, touch.value)
      return core.changed()
    case 'answerDialog':
      if (front === undefined) return
      topOf(front.process).dialog = undefined
      core.changed()
      return core.run(touch.actions, touch.scope, front.app, front.process)
    case 'closeScreen':
      return front === undefined ? undefined : closeScreen(core, front.app, front.process)
    case 'openApp': {
      const app = core.state.apps.get(touch.app)
      if (app !== undefined) openApp(core, app)
      return
    }
    case 'stopAllApps':
      for (const app of core.state.apps.values()) stopApp(core, app)
      return
    case 'focus':
      return focusBox(core, box)
    case 'offerPaste':
      focusBox(core, box)
      core.state.systemDialog = { kind: 'paste' }
      return core.changed()
    case 'paste':
      core.state.systemDialog = undefined
      core.changed()
      // The app may have left the screen behind the dialog.
      if (isAnyFieldFocused(core)) insertText(core, core.state.clipboard)
      return
    case 'answerPermission':
      return answerPermission(core, touch.granted)
    case 'closeSystemDialog':
      core.state.systemDialog = undefined
      return core.changed()
    case 'type':
      core.state.keyboard = { shown: true, layer: core.state.keyboard.layer === 'capitals' ? 'letters' : core.state.keyboard.layer }
      return insertText(core, touch.text)
    case 'key':
      return pressKey(core, touch.key, false)
    case 'hideKeyboard':
      return hideKeyboard(core)
    case 'keyboardLayer':
      core.state.keyboard = { shown: true, layer: touch.layer }
      return core.changed()
  }
}
