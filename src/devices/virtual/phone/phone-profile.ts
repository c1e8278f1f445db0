import type { Key, Orientation, Platform } from '../../device-types.ts'

/** What tells one model of virtual phone from another. Lengths are in dp unless they say otherwise. */
export interface PhoneProfile {
  readonly platform: Platform
  readonly model: string
  readonly osVersion: string
  /** The screen upright, in device pixels. */
  readonly sizePx: { readonly width: number, readonly height: number }
  /** Device pixels to one dp. */
  readonly density: number
  /** Height of the strip with time and battery, upright and lying. */
  readonly statusBar: Readonly<Record<Orientation, number>>
  readonly topBar: number
  /** Height of the strip at the bottom that belongs to the system. */
  readonly bottomInset: number
  readonly missingKeys: readonly Key[]
}

export const androidProfile: PhoneProfile = {
  platform: 'android',
  model: 'Virtual Android 15',
  osVersion: '15',
  sizePx: { width: 1080, height: 2400 },
  density: 3,
  statusBar: { portrait: 32, landscape: 26 },
  topBar: 60,
  bottomInset: 22,
  missingKeys: []
}

export const iosProfile: PhoneProfile = {
  platform: 'ios',
  model: 'Virtual iPhone',
  osVersion: '18.2',
  sizePx: { width: 1179, height: 2556 },
  density: 3,
  statusBar: { portrait: 54, landscape: 26 },
  topBar: 52,
  bottomInset: 30,
  missingKeys: ['back', 'menu', 'search']
}

/** Size of the screen as it is held. */
export function screenSize (profile: PhoneProfile, orientation: Orientation): { readonly width: number, readonly height: number } {
  const { width, height } = profile.sizePx
  return orientation === 'portrait' ? { width, height } : { width: height, height: width }
}
