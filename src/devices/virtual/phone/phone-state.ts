import { isDeepStrictEqual } from 'node:util'
import type { Orientation } from '../../device-driver.ts'
import type { Action } from '../apps/app-action.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import type { JsonObject } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import type { KeyboardLayer } from '../screen/box.ts'

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
  | { readonly kind: 'crash', readonly appName: string }
  | { readonly kind: 'paste' }

/** Everything about a phone that a command can change. */
export interface PhoneState {
  readonly apps: ReadonlyMap<string, InstalledApp>
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
  log: Array<{ readonly atMs: number, readonly app: string, readonly line: string }>
}

export const loudest = 15
const initialVolume = 8

/** A phone as it comes out of the box: unlocked, upright, at the home screen. */
export function freshState (definitions: readonly AppDefinition[]): PhoneState {
  return {
    apps: new Map(definitions.map((app) => [app.id, { app, data: structuredClone(app.data) }])),
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
    log: []
  }
}

/** In short phrases, what sets a phone apart from a fresh one. */
export function differencesFromFresh (state: PhoneState): string[] {
  const apps = [...state.apps.values()]
  const changed = apps.filter(({ app, data }) => !isDeepStrictEqual(data, app.data))
  return [
    ...apps.filter(({ process }) => process !== undefined).map(({ app }) => `stopped ${app.name}`),
    ...changed.map(({ app }) => `erased the data of ${app.name}`),
    ...(state.front.view === 'home' ? [] : ['went to the home screen']),
    ...(state.systemDialog === undefined ? [] : ['closed a system dialog']),
    ...(state.keyboard.shown ? ['hid the keyboard'] : []),
    ...(state.toast === undefined ? [] : ['removed a message']),
    ...(state.awake ? [] : ['woke the screen']),
    ...(state.locked ? ['unlocked the screen'] : []),
    ...(state.orientation === 'portrait' ? [] : ['turned the screen upright']),
    ...(state.clipboard === '' ? [] : ['emptied the clipboard']),
    ...(state.volume === initialVolume ? [] : ['reset the volume']),
    ...([...state.homeOffsets.values()].some((offset) => offset > 0) ? ['scrolled the home screen back'] : []),
    ...(state.log.length === 0 ? [] : ['emptied the log'])
  ]
}
