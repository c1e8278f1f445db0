import { isDeepStrictEqual } from 'node:util'
import type { Orientation } from '../../device-types.ts'
import type { Action } from '../apps/app-action.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import type { JsonObject, JsonValue } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import type { KeyboardLayer } from '../screen/box.ts'
import type { Screen } from '../screen/composed-screen.ts'
import type { Message } from '../exchange.ts'
import type { PhoneProfile } from './phone-profile.ts'

/** What an app has in mind when it wants a permission. */
export interface PermissionWish {
  readonly permission: string
  readonly granted: readonly Action[]
  readonly denied: readonly Action[]
}

export interface Frame {
  /** On the monotonic clock. */
  readonly atMs: number
  readonly screen: Screen
}

/** A recording that is under way or over. */
export interface RecordingState {
  readonly startedMs: number
  readonly maxMs: number
  readonly frames: readonly Frame[]
  readonly isComplete: boolean
}

/** One screen of an app's back stack. */
export interface StackEntry {
  readonly screen: string
  readonly params: JsonObject
  readonly offsets: Map<string, number>
  /** The dialog that is open. */
  dialog?: { readonly id: string, readonly params: JsonObject } | undefined
}

/** A running app. It is another object each time the app is started. */
export interface AppProcess {
  readonly state: JsonObject
  /** Never empty; the last entry is the one that shows. */
  readonly stack: StackEntry[]
}

export interface InstalledApp {
  readonly app: AppDefinition
  data: JsonObject
  /** The state of each permission that the app can ask for. */
  readonly permissions: JsonObject
  process?: AppProcess | undefined
}

export interface PendingActions {
  /** On the monotonic clock. */
  readonly dueMs: number
  readonly app: InstalledApp
  readonly process: AppProcess
  readonly actions: readonly Action[]
  readonly scope: Scope
}

export type SystemDialog =
  | { readonly kind: 'crash', readonly app: AppDefinition }
  | { readonly kind: 'paste' }
  | {
    readonly kind: 'permission'
    readonly app: InstalledApp
    readonly process: AppProcess
    readonly wish: PermissionWish
    readonly scope: Scope
  }

/**
 * What apps see as `device`. Those that are part of the phone write some of it, so its values
 * are as an app file left them.
 */
export type DeviceVariables = JsonObject & {
  readonly platform: string
  readonly model: string
  readonly os: string
  /** Where messages of other phones reach this one. */
  phoneNumber: string
  locale: JsonValue
  /** Whether screens are drawn light on dark. */
  darkTheme: JsonValue
  /** small, default or large. */
  textSize: JsonValue
  wifi: JsonValue
  mobileData: JsonValue
  airplane: JsonValue
  location: { readonly latitude: number, readonly longitude: number } | null
}

/** Everything about a phone that a command can change. */
export interface PhoneState {
  /** Ordered by id. */
  apps: ReadonlyMap<string, InstalledApp>
  readonly device: DeviceVariables
  /** The holder's files. */
  readonly files: Map<string, Buffer>
  recording?: RecordingState | undefined
  awake: boolean
  locked: boolean
  orientation: Orientation
  front: { readonly view: 'home' | 'recents' } | { readonly view: 'app', readonly app: string }
  /** Ids of running apps, the one used last in front. */
  recents: string[]
  readonly homeOffsets: Map<string, number>
  /** The field that takes text. */
  focus?: { readonly key: string, readonly cursor: number } | undefined
  keyboard: { readonly shown: boolean, readonly layer: KeyboardLayer }
  toast?: { readonly text: string, readonly untilMs: number } | undefined
  systemDialog?: SystemDialog | undefined
  clipboard: string
  volume: number
  pending: PendingActions[]
  /** Messages that came in and have not been received, oldest first. */
  readonly inbox: Array<Message & { readonly atMs: number }>
  log: Array<{ readonly atMs: number, readonly app: string, readonly line: string }>
}

export const loudest = 15
const initialVolume = 8

/** A phone as it comes out of the box: unlocked, upright, at the home screen. */
export function freshState (definitions: readonly AppDefinition[], profile: PhoneProfile, phoneNumber: string): PhoneState {
  return {
    apps: new Map(definitions.map((app) => [app.id, newApp(app)])),
    device: freshDevice(profile, phoneNumber),
    files: new Map(),
    awake: true,
    locked: false,
    orientation: 'portrait',
    front: { view: 'home' },
    recents: [],
    homeOffsets: new Map(),
    keyboard: { shown: false, layer: 'letters' },
    clipboard: '',
    volume: initialVolume,
    pending: [],
    inbox: [],
    log: []
  }
}

/** An app that has not been used yet. */
export function newApp (app: AppDefinition): InstalledApp {
  return {
    app,
    data: structuredClone(app.data),
    permissions: Object.fromEntries(app.permissions.map((permission) => [permission, 'ask']))
  }
}

function freshDevice ({ platform, model, osVersion }: PhoneProfile, phoneNumber: string): DeviceVariables {
  return {
    platform, model, os: osVersion, phoneNumber, locale: 'en-US', darkTheme: false, textSize: 'default', wifi: true, mobileData: true, airplane: false, location: null
  }
}

/** In short phrases, what sets a phone apart from a fresh one. */
export function differencesFromFresh (state: PhoneState, home: readonly AppDefinition[], profile: PhoneProfile): string[] {
  const apps = [...state.apps.values()]
  const [here, missing] = [new Set(apps.map(({ app }) => app)), home.filter(({ id }) => !state.apps.has(id))]
  const foreign = apps.filter(({ app }) => !home.includes(app))
  const { device } = state
  const usual = freshDevice(profile, device.phoneNumber)
  const networkDiffers = (['wifi', 'mobileData', 'airplane'] as const).some((name) => device[name] !== usual[name])
  const changed = apps.filter(({ app, data }) => !isDeepStrictEqual(data, app.data))
  return [
    ...apps.filter(({ process }) => process !== undefined).map(({ app }) => `stopped ${app.name}`),
    ...changed.map(({ app }) => `erased the data of ${app.name}`),
    ...apps.filter(({ permissions }) => Object.values(permissions).some((permission) => permission !== 'ask'))
      .map(({ app }) => `reset the permissions of ${app.name}`),
    ...foreign.map(({ app }) => `removed ${app.name}`),
    ...home.filter((app) => !here.has(app) && !missing.includes(app)).map(({ name }) => `put ${name} back as it was`),
    ...missing.map(({ name }) => `put ${name} back`),
    ...(state.front.view === 'home' ? [] : ['went to the home screen']),
    ...(state.systemDialog === undefined ? [] : ['closed a system dialog']),
    ...(state.keyboard.shown ? ['hid the keyboard'] : []),
    ...(state.toast === undefined ? [] : ['removed a message']),
    ...(state.awake ? [] : ['woke the screen']),
    ...(state.locked ? ['unlocked the screen'] : []),
    ...(state.orientation === 'portrait' ? [] : ['turned the screen upright']),
    ...(state.clipboard === '' ? [] : ['emptied the clipboard']),
    ...(device.locale === usual.locale ? [] : ['reset the language']),
    ...(device.darkTheme === usual.darkTheme && device.textSize === usual.textSize ? [] : ['reset the appearance']),
    ...(device.location === null ? [] : ['forgot the simulated location']),
    ...(networkDiffers ? ['reset the networks'] : []),
    ...(state.files.size === 0 ? [] : [`deleted ${state.files.size} file(s)`]),
    ...(state.recording === undefined ? [] : ['discarded a recording']),
    ...(state.volume === initialVolume ? [] : ['reset the volume']),
    ...([...state.homeOffsets.values()].some((offset) => offset > 0) ? ['scrolled the home screen back'] : []),
    ...(state.log.length === 0 ? [] : ['emptied the log'])
  ]
}
