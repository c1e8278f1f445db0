import type { PermissionState } from '../../app-commands.ts'
import type { AppInfo, Orientation } from '../../device-types.ts'
import { AppNotInstalledRefusal } from '../../device-refusals.ts'
import type { FileInfo } from '../../file-commands.ts'
import type { NetworkState, Place } from '../../setting-commands.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import { longestText } from '../apps/json-value.ts'
import { clearAppData, installedApp } from './app-life.ts'
import { installApp, putApp, removeApp } from './app-installs.ts'
import { setPermission } from './permissions.ts'
import type { PhoneCore } from './phone-core.ts'
import { listFiles, readFile, removeFile, writeFile } from './phone-files.ts'
import { localeOf, locationOf, networkOf, setLocale, setLocation, setNetwork } from './phone-settings.ts'
import type { InstalledApp } from './phone-state.ts'
import { startRecording, takeOf, type Take } from './recorder.ts'
import { revealFocus } from './text-input.ts'
import { cut } from '../../../text/quote.ts'

/** What can be changed about a phone besides by touching it. Each refuses as the driver's command does. */
export interface StateCommands {
  installApp (definition: AppDefinition): AppInfo
  uninstallApp (id: string): void
  restoreApp (id: string): void
  clearAppData (id: string): void
  listPermissions (id: string): Readonly<Record<string, PermissionState>>
  setPermission (id: string, permission: string, state: PermissionState): void
  orientation (): Orientation
  setOrientation (orientation: Orientation): void
  locale (): string
  setLocale (locale: string): void
  location (): Place | undefined
  setLocation (place: Place | undefined): void
  network (): NetworkState
  setNetwork (change: Partial<NetworkState>): void
  clipboard (): string
  setClipboard (text: string): void
  startRecording (maxMs: number): void
  /** The recording so far, which goes on being there. */
  recordingSoFar (): Take
  /** @returns whether there was one */
  forgetRecording (): boolean
  listFiles (): readonly FileInfo[]
  writeFile (path: string, content: Buffer): void
  readFile (path: string): Buffer
  removeFile (path: string): void
}

export function createStateCommands ({ core, command, look, home }: {
  readonly core: PhoneCore
  /** Lets time catch up, then runs what changes the phone. */
  readonly command: <Result>(work: () => Result) => Result
  /** Lets time catch up, then reads. */
  readonly look: <Result>(work: () => Result) => Result
  /** The apps of the home state. */
  readonly home: readonly AppDefinition[]
}): StateCommands {
  const homeIds = new Set(home.map(({ id }) => id))

  return {
    installApp: (definition) => command(() => appInfo(installApp(core, definition, homeIds))),
    uninstallApp: (id) => command(() => removeApp(core, id)),
    restoreApp: (id) => command(() => {
      const definition = home.find((app) => app.id === id)
      if (definition === undefined) throw new AppNotInstalledRefusal(id, [...homeIds])
      putApp(core, definition)
    }),
    clearAppData: (id) => command(() => clearAppData(core, installedApp(core, id))),
    listPermissions: (id) => look(() => permissionsOf(installedApp(core, id))),
    setPermission: (id, permission, state) => command(() => setPermission(core, installedApp(core, id), permission, state)),

    orientation: () => look(() => core.state.orientation),
    setOrientation: (orientation) => command(() => {
      if (core.state.orientation === orientation) return
      core.state.orientation = orientation
      core.changed()
      revealFocus(core)
    }),
    locale: () => look(() => localeOf(core.state.device)),
    setLocale: (locale) => command(() => setLocale(core, locale)),
    location: () => look(() => locationOf(core.state.device)),
    setLocation: (place) => command(() => setLocation(core, place)),
    network: () => look(() => networkOf(core.state.device)),
    setNetwork: (change) => command(() => setNetwork(core, change)),
    clipboard: () => look(() => core.state.clipboard),
    setClipboard: (text) => command(() => {
      core.state.clipboard = cut(text, longestText)
      core.changed()
    }),

    startRecording: (maxMs) => command(() => startRecording(core, maxMs)),
    recordingSoFar: () => look(() => takeOf(core)),
    forgetRecording () {
      const wasThere = core.state.recording !== undefined
      core.state.recording = undefined
      return wasThere
    },

    listFiles: () => listFiles(core.state),
    writeFile: (path, content) => writeFile(core.state, path, content),
    readFile: (path) => readFile(core.state, path),
    removeFile: (path) => removeFile(core.state, path)
  }
}

export function appInfo ({ app, process }: InstalledApp): AppInfo {
  return { id: app.id, name: app.name, version: app.version, system: app.system, running: process !== undefined }
}

function permissionsOf ({ permissions }: InstalledApp): Readonly<Record<string, PermissionState>> {
  return Object.fromEntries(Object.entries(permissions).map(([name, state]) =>
    [name, state === 'granted' || state === 'denied' ? state : 'ask']))
}
