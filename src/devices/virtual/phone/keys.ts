import type { Key } from '../../device-types.ts'
import { closeScreen, goHome, showRecents } from './app-life.ts'
import { topOf } from './app-scope.ts'
import { frontApp, showToast, type PhoneCore } from './phone-core.ts'
import { loudest } from './phone-state.ts'
import { scrollByKey } from './scrolling.ts'
import { blur, eraseBackwards, focusNextField, hideKeyboard, isAnyFieldFocused, moveCursor, pressEnter } from './text-input.ts'

// A key that is held repeats.
const repeatsWhileHeld = 20
const arrowScrollShare = 0.25

/** Presses a key that the phone has. */
export function pressKey (core: PhoneCore, key: Key, long: boolean): void {
  const { state } = core
  if (key === 'power') return pressPower(core)
  if (key === 'volume_up' || key === 'volume_down') return changeVolume(core, key === 'volume_up' ? 1 : -1)
  if (!state.awake || state.locked) return
  switch (key) {
    case 'home':
      return goHome(core)
    case 'recents':
      return showRecents(core)
    case 'back':
      return goBack(core)
    case 'escape':
      closeWhatIsOnTop(core)
      return
    case 'enter':
      return pressEnter(core)
    case 'delete':
      for (let count = 0; count < (long ? repeatsWhileHeld : 1); count += 1) eraseBackwards(core)
      return
    case 'tab':
      return focusNextField(core)
    case 'left':
      return moveCursor(core, -1)
    case 'right':
      return moveCursor(core, 1)
    case 'up':
    case 'down': {
      const way = key === 'up' ? -1 : 1
      return isAnyFieldFocused(core) ? moveCursor(core, way * Infinity) : scrollByKey(core, way * arrowScrollShare)
    }
    // The apps of these phones have no menus, and their search fields take no key.
    case 'menu':
    case 'search':
  }
}

function pressPower (core: PhoneCore): void {
  const { state } = core
  blur(core)
  state.awake = !state.awake
  state.locked = true
  core.changed()
}

function changeVolume (core: PhoneCore, by: number): void {
  const { state } = core
  state.volume = Math.max(0, Math.min(state.volume + by, loudest))
  showToast(core, `Volume ${state.volume} of ${loudest}`)
}

function goBack (core: PhoneCore): void {
  if (closeWhatIsOnTop(core)) return
  const front = frontApp(core)
  if (front === undefined) goHome(core)
  else closeScreen(core, front.app, front.process)
}

// A dialog of the phone, the keyboard, a dialog of the app: one at a time.
function closeWhatIsOnTop (core: PhoneCore): boolean {
  const { state } = core
  const front = frontApp(core)
  const top = front === undefined ? undefined : topOf(front.process)
  if (state.systemDialog !== undefined) state.systemDialog = undefined
  else if (state.keyboard.shown) hideKeyboard(core)
  else if (top?.dialog !== undefined) top.dialog = undefined
  else return false
  core.changed()
  return true
}
