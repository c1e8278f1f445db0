import type { Platform } from '../../device-types.ts'
import type { Color, ColorName } from '../screen/box.ts'

export type Theme = Readonly<Record<ColorName, string>>

const shared = {
  surface: '#ffffff',
  text: '#1b1b21',
  secondary: '#62636c',
  onAccent: '#ffffff',
  danger: '#b3261e',
  disabled: '#a2a3ad',
  toast: '#303036',
  onToast: '#f4f3f9',
  scrim: 'rgba(15, 16, 24, 0.48)',
  onWallpaper: '#ffffff'
} satisfies Partial<Theme>

const themes: Readonly<Record<Platform, Theme>> = {
  android: {
    ...shared,
    background: '#f5f4fa',
    sunken: '#e5e4ee',
    border: '#d9d8e3',
    accent: '#4355b9',
    tint: '#e3e6fa',
    keyboard: '#e4e4ef',
    key: '#ffffff',
    specialKey: '#cfd0e0'
  },
  ios: {
    ...shared,
    background: '#f2f2f7',
    sunken: '#e3e3e9',
    border: '#dcdce1',
    accent: '#0a6fe8',
    tint: '#e0edfd',
    keyboard: '#d3d5db',
    key: '#ffffff',
    specialKey: '#b9bdc7'
  }
}

/** Top and bottom of what lies behind the home screen. */
export const wallpaper: Readonly<Record<Platform, readonly [string, string]>> = {
  android: ['#27336f', '#7d5a94'],
  ios: ['#0d4c8c', '#3a9a9e']
}

export function themeOf (platform: Platform): Theme {
  return themes[platform]
}

export function colorOf (color: Color, theme: Theme): string {
  return isHex(color) ? color : theme[color]
}

function isHex (color: Color): color is `#${string}` {
  return color.startsWith('#')
}
