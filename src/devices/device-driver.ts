/**
 * The driver: the only thing the rest of mooring sees of a phone.
 *
 * One object stands for one phone. Its id is stable (never a serial or a port); the boot id
 * tells one continuous presence of the phone, its incarnation, from the next. Every command
 * carries the fencing token of the lease it acts for; a driver refuses a token lower than one
 * it has seen, even from a holder that never noticed the end of its lease
 * (`fenced-driver.ts`). A driver that cannot do something says so with an
 * `UnsupportedRefusal` that names what is missing; it never pretends.
 *
 * Coordinates are device pixels of the phone's current rotation, origin at the top left,
 * whatever the size of a screenshot.
 *
 * What changes the state of a phone beyond its screen stands in files of its own, by idea.
 */
import type { AppCommands } from './app-commands.ts'
import type { FileCommands } from './file-commands.ts'
import type { RecordingCommands } from './recording-commands.ts'
import type { SettingCommands } from './setting-commands.ts'

export const platforms = ['android', 'ios'] as const
export type Platform = (typeof platforms)[number]

export const deviceKinds = ['virtual', 'emulator', 'simulator', 'real'] as const
export type DeviceKind = (typeof deviceKinds)[number]

/** What is true of a phone whatever it is doing. */
export interface DeviceDescription {
  /** Stable id, `[a-z0-9-]+`: for a person to type and for leases to refer to. */
  readonly id: string
  readonly name: string
  readonly platform: Platform
  readonly kind: DeviceKind
  readonly model: string
  /** Dotted numbers, e.g. `15` or `18.2`. */
  readonly osVersion: string
  readonly labels: readonly string[]
}

/** What every command needs besides its own arguments. */
export interface Command {
  /** Fencing token of the lease the command acts for. */
  readonly fence: number
  /** Aborts the command: the caller went away, or the lease ended. */
  readonly signal: AbortSignal
}

export interface Point { readonly x: number, readonly y: number }

/** Top left corner, width and height in device pixels. */
export interface Rect extends Point { readonly width: number, readonly height: number }

export const elementRoles = [
  'text', 'button', 'field', 'item', 'switch', 'checkbox', 'img', 'list', 'tab', 'dialog', 'key', 'web', 'group'
] as const
export type ElementRole = (typeof elementRoles)[number]

/** One node of the UI tree as the platform reports it, before anything is filtered. */
export interface UiNode {
  readonly role: ElementRole
  /** Visible text; a password field reports bullets. */
  readonly text?: string
  /** Accessibility description. */
  readonly description?: string
  /** Placeholder of an empty field. */
  readonly hint?: string
  /** Resource id without its package prefix, e.g. `sign_in_button`. */
  readonly id?: string
  /** Clipped to what is visible; zero-sized when scrolled out of sight. */
  readonly rect: Rect
  readonly clickable: boolean
  readonly longClickable: boolean
  readonly scrollable: boolean
  /** Absent where the element cannot be checked. */
  readonly checked?: boolean
  readonly selected: boolean
  readonly enabled: boolean
  readonly focused: boolean
  readonly password: boolean
  readonly children: readonly UiNode[]
}

export const orientations = ['portrait', 'landscape'] as const
export type Orientation = (typeof orientations)[number]

/** One look at a phone: everything in it was true at the same instant. */
export interface Observation {
  readonly capturedAtMs: number
  /** Id of the app in front, `null` on the home screen. */
  readonly app: string | null
  /** The app's name for its current screen, where the platform knows one. */
  readonly activity?: string
  /**
   * Names this entering of the screen, where the platform knows it: another one each time the
   * screen or a dialog over it is opened, the same one on a way back to it.
   */
  readonly visit?: string
  readonly size: { readonly width: number, readonly height: number }
  readonly orientation: Orientation
  readonly keyboardShown: boolean
  readonly locked: boolean
  /** Set while the display is dark, where the platform knows it. */
  readonly displayOff?: boolean
  readonly root: UiNode
  /** What the reader should know about this look, e.g. that the screen was still moving. */
  readonly warnings: readonly string[]
}

export interface Screenshot {
  /** A complete PNG file. */
  readonly png: Buffer
  /** Size of the image in its own pixels. */
  readonly width: number
  readonly height: number
}

export interface AppInfo {
  readonly id: string
  readonly name: string
  readonly version: string
  /** Part of the phone rather than installed by somebody. */
  readonly system: boolean
  readonly running: boolean
}

export const keys = [
  'home', 'back', 'recents', 'enter', 'delete', 'tab', 'escape', 'up', 'down', 'left', 'right',
  'volume_up', 'volume_down', 'power', 'menu', 'search'
] as const
export type Key = (typeof keys)[number]

export interface LaunchOptions {
  /** Erases the app's data first. */
  readonly clearData: boolean
  /** Stops the app first, so that it starts from its first screen. */
  readonly restart: boolean
}

export interface DeviceDriver extends AppCommands, SettingCommands, RecordingCommands, FileCommands {
  readonly description: DeviceDescription

  /**
   * Names the phone's current boot. Equal ids mean that nothing on the phone was lost in
   * between; a new id is a new incarnation.
   *
   * @throws {DeviceOfflineRefusal} when the phone does not answer
   */
  bootId (signal: AbortSignal): Promise<string>

  /**
   * Ids of the apps that the phone has in its home state, the same for every holder. Like the
   * boot id this is no command: it touches nothing and is answered while commands run.
   */
  homeApps (signal: AbortSignal): Promise<readonly string[]>

  observe (command: Command): Promise<Observation>

  /** The whole screen, `width` image pixels wide (never wider than the screen itself). */
  screenshot (options: { readonly width: number }, command: Command): Promise<Screenshot>

  /**
   * Taps `count` times; `holdMs` of 400 or more is a long press.
   *
   * @throws {OutsideScreenRefusal} the point is not on the screen as it is turned now
   */
  tap (target: Point, options: { readonly count: number, readonly holdMs: number }, command: Command): Promise<void>

  /** @throws {OutsideScreenRefusal} one of the points is not on the screen as it is turned now */
  swipe (from: Point, to: Point, options: { readonly durationMs: number }, command: Command): Promise<void>

  /**
   * Types into the focused field.
   *
   * @throws {NoFocusedFieldRefusal} when nothing takes text
   */
  typeText (text: string, command: Command): Promise<void>

  /**
   * Empties the focused field.
   *
   * @throws {NoFocusedFieldRefusal} when nothing takes text
   */
  clearText (command: Command): Promise<void>

  pressKey (key: Key, options: { readonly count: number, readonly long: boolean }, command: Command): Promise<void>

  listApps (command: Command): Promise<readonly AppInfo[]>

  /** @throws {AppNotInstalledRefusal} */
  launchApp (appId: string, options: LaunchOptions, command: Command): Promise<void>

  /**
   * Stops the app; a stopped app stays stopped.
   *
   * @throws {AppNotInstalledRefusal}
   */
  terminateApp (appId: string, command: Command): Promise<void>

  /**
   * Opens a link in `appId`, or in whichever app claims it.
   *
   * @throws {LinkNotHandledRefusal} when no app does
   */
  openLink (url: string, options: { readonly appId?: string }, command: Command): Promise<void>

  /**
   * Makes the phone as new: nothing of what anybody did to it is left, home screen in front.
   * Says in short phrases what it did.
   */
  restoreHome (command: Command): Promise<readonly string[]>

  /** Frees what the driver holds. Commands after it are refused. */
  close (): Promise<void>
}
