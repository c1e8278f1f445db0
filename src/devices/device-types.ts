/** What drivers and the rest of mooring say to each other about phones. The commands stand in `device-driver.ts`. */
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
  /** Part of the phone, and not installed later. */
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
