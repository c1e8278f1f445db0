import type { AppCommands, AppSource, PermissionState } from '../../src/devices/app-commands.ts'
import type { Command, Orientation } from '../../src/devices/device-types.ts'
import type { FileCommands } from '../../src/devices/file-commands.ts'
import type { Recording, RecordingCommands } from '../../src/devices/recording-commands.ts'
import type { NetworkState, Place, SettingCommands } from '../../src/devices/setting-commands.ts'

export type StateDriverCommands = AppCommands & SettingCommands & RecordingCommands & FileCommands

/** A phone whose state is as simple as can be; its apps are whatever is installed. */
export interface PlainState {
  orientation: Orientation
  locale: string
  location: Place | undefined
  network: NetworkState
  clipboard: string
  recording: boolean
  readonly apps: Set<string>
  readonly permissions: Map<string, PermissionState>
  readonly files: Map<string, Buffer>
}

export function plainState (): PlainState {
  return {
    orientation: 'portrait',
    locale: 'en-US',
    location: undefined,
    network: { wifi: true, data: true, airplane: false },
    clipboard: '',
    recording: false,
    apps: new Set(),
    permissions: new Map(),
    files: new Map()
  }
}

/** The commands for that state. Each tells `perform` what it is about to do: what changes the phone in words, what reads nothing. */
export function plainStateCommands (
  state: PlainState, perform: (operation: keyof StateDriverCommands, what: string, command: Command) => Promise<void>
): StateDriverCommands {
  async function does<T> (operation: keyof StateDriverCommands, what: string, command: Command, work: () => T): Promise<T> {
    await perform(operation, what, command)
    return work()
  }

  return {
    inspectApp: (source, command) => does('inspectApp', '', command, () => infoOf(idOf(source))),
    installApp: (source, command) => does('installApp', `install ${idOf(source)}`, command, () => {
      state.apps.add(idOf(source))
      return { ...infoOf(idOf(source)), running: false }
    }),
    uninstallApp: (appId, command) => does('uninstallApp', `uninstall ${appId}`, command, () => { state.apps.delete(appId) }),
    restoreApp: (appId, command) => does('restoreApp', `restore ${appId}`, command, () => { state.apps.add(appId) }),
    clearAppData: (appId, command) => does('clearAppData', `clear ${appId}`, command, () => {}),
    listPermissions: (appId, command) => does('listPermissions', '', command, () => ({ camera: state.permissions.get(`${appId} camera`) ?? 'ask' })),
    setPermission: (appId, permission, granted, command) => does('setPermission', `permission ${appId} ${permission} ${granted}`, command, () => {
      state.permissions.set(`${appId} ${permission}`, granted)
    }),

    getOrientation: (command) => does('getOrientation', '', command, () => state.orientation),
    setOrientation: (orientation, command) => does('setOrientation', `turn ${orientation}`, command, () => { state.orientation = orientation }),
    getLocale: (command) => does('getLocale', '', command, () => state.locale),
    setLocale: (locale, command) => does('setLocale', `locale ${locale}`, command, () => { state.locale = locale }),
    getLocation: (command) => does('getLocation', '', command, () => state.location),
    setLocation: (place, command) => does('setLocation', `location ${place.latitude},${place.longitude}`, command, () => { state.location = place }),
    clearLocation: (command) => does('clearLocation', 'no location', command, () => { state.location = undefined }),
    getNetwork: (command) => does('getNetwork', '', command, () => state.network),
    setNetwork: (change, command) => does('setNetwork', `network ${JSON.stringify(change)}`, command, () => { state.network = { ...state.network, ...change } }),
    getClipboard: (command) => does('getClipboard', '', command, () => state.clipboard),
    setClipboard: (text, command) => does('setClipboard', `clipboard ${JSON.stringify(text)}`, command, () => { state.clipboard = text }),

    startRecording: ({ maxMs }, command) => does('startRecording', `record ${maxMs}`, command, () => { state.recording = true }),
    stopRecording: (command) => does('stopRecording', 'stop recording', command, (): Recording => {
      state.recording = false
      state.files.set('recording-1.png', Buffer.alloc(3))
      return { path: 'recording-1.png', bytes: 3, mimeType: 'image/png', durationMs: 1_000, isComplete: true }
    }),
    discardRecording: (command) => does('discardRecording', 'discard recording', command, () => {
      const was = state.recording
      state.recording = false
      return was
    }),

    listFiles: (command) => does('listFiles', '', command, () => [...state.files].map(([path, { length }]) => ({ path, bytes: length }))),
    pushFile: (path, content, command) => does('pushFile', `push ${path}`, command, () => { state.files.set(path, content) }),
    pullFile: (path, command) => does('pullFile', '', command, () => state.files.get(path) ?? Buffer.alloc(0)),
    removeFile: (path, command) => does('removeFile', `remove ${path}`, command, () => { state.files.delete(path) })
  }
}

function idOf (source: AppSource): string {
  switch (source.kind) {
    case 'known': return source.id
    case 'text': return source.text
    case 'file': return source.path
  }
}

function infoOf (id: string) {
  return { id, name: id, version: '1', system: false }
}
