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

const lightThemes: Readonly<Record<Platform, Theme>> = {
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

const sharedDark = {
  text: '#e6e5ee',
  secondary: '#a6a7b2',
  onAccent: '#11131c',
  danger: '#ff8a80',
  disabled: '#63646f',
  toast: '#e3e2ea',
  onToast: '#1b1b21',
  scrim: 'rgba(0, 0, 0, 0.62)',
  onWallpaper: '#ffffff'
} satisfies Partial<Theme>

const darkThemes: Readonly<Record<Platform, Theme>> = {
  android: {
    ...sharedDark,
    background: '#131318',
    surface: '#1f1f26',
    sunken: '#2b2b34',
    border: '#3b3b46',
    accent: '#b9c3ff',
    tint: '#2c3358',
    keyboard: '#1a1a21',
    key: '#34343f',
    specialKey: '#484856'
  },
  ios: {
    ...sharedDark,
    background: '#000000',
    surface: '#1c1c1e',
    sunken: '#2c2c2e',
    border: '#38383a',
    accent: '#4aa3ff',
    tint: '#10294a',
    keyboard: '#232325',
    key: '#6b6b6f',
    specialKey: '#46464a'
  }
}

/** Top and bottom of what lies behind the home screen. */
const lightWallpapers: Readonly<Record<Platform, readonly [string, string]>> = {
  android: ['#27336f', '#7d5a94'],
  ios: ['#0d4c8c', '#3a9a9e']
}

const darkWallpapers: typeof lightWallpapers = {
  android: ['#0d1130', '#33223e'],
  ios: ['#031a33', '#123c40']
}

export function themeOf (platform: Platform, isDark: boolean): Theme {
  return (isDark ? darkThemes : lightThemes)[platform]
}

/** The colours at the top and at the bottom behind the home screen. */
export function wallpaperOf (platform: Platform, isDark: boolean): readonly [string, string] {
  return (isDark ? darkWallpapers : lightWallpapers)[platform]
}

export function colorOf (color: Color, theme: Theme): string {
  return isHex(color) ? color : theme[color]
}

function isHex (color: Color): color is `#${string}` {
  return color.startsWith('#')
}
