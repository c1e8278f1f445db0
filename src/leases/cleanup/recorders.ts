/**
 * How each command that changes a phone is written down: which thing it changes, and how to
 * learn what that thing is like before. A recorder looks at the phone and cannot do more.
 */
import type { DeviceDriver } from '../../devices/device-driver.ts'
import { UnknownPermissionRefusal } from '../../devices/device-state-refusals.ts'
import type { Command } from '../../devices/device-types.ts'
import type { memberKinds, NamesOf } from '../../devices/driver-commands.ts'
import type { ChangeKind, ChangeOf } from './change-ledger.ts'

/** A change to be written down, unless one of its kind and target has been already. */
export type Note = {
  [Kind in ChangeKind]: {
    readonly kind: Kind
    readonly target: string
    /** How the thing is before the change. May ask the phone. */
    readonly before: () => ChangeOf<Kind>['before'] | Promise<ChangeOf<Kind>['before']>
  }
}[ChangeKind]

/** What a recorder may ask of the phone. */
export type PhoneFacts = Pick<DeviceDriver, NamesOf<'look'> | 'homeApps'>

/** Notes what the command is about to change; undefined where these arguments change nothing. */
export type Recorder<Args extends readonly unknown[]> =
  (phone: PhoneFacts, ...args: Args) => Note | undefined | Promise<Note | undefined>

type ArgumentsOf<Member> = Member extends (...args: infer Args) => unknown ? Args : never

/** A recorder for each command of a port that changes the phone, and for no other. */
export type Recorders<Port = DeviceDriver, Kinds = typeof memberKinds> = {
  readonly [Name in NamesOf<'change', Kinds> & keyof Port]: Recorder<ArgumentsOf<Port[Name]>>
}

export const recorders: Recorders = {
  async installApp (phone, source, command) {
    const { id } = await phone.inspectApp(source, command)
    return noteApp(phone, id, command)
  },
  uninstallApp: noteApp,
  restoreApp: noteApp,
  clearAppData: (_, appId) => noteAppData(appId),
  launchApp: (_, appId, { clearData }) => clearData ? noteAppData(appId) : undefined,

  setPermission: (phone, appId, permission, _, command) => ({
    kind: 'permission',
    target: `${appId} ${permission}`,
    async before () {
      const states = await phone.listPermissions(appId, command)
      const before = Object.hasOwn(states, permission) ? states[permission] : undefined
      if (before === undefined) throw new UnknownPermissionRefusal(appId, permission, Object.keys(states))
      return before
    }
  }),

  setOrientation: (phone, _, command) => ({ kind: 'orientation', target: '', before: () => phone.getOrientation(command) }),
  setLocale: (phone, _, command) => ({ kind: 'locale', target: '', before: () => phone.getLocale(command) }),
  setLocation: (phone, _, command) => noteLocation(phone, command),
  clearLocation: noteLocation,
  setNetwork: (phone, _, command) => ({ kind: 'network', target: '', before: () => phone.getNetwork(command) }),

  setClipboard: () => ({ kind: 'clipboard', target: '', before: unrecorded }),
  startRecording: () => ({ kind: 'recording', target: '', before: unrecorded }),
  stopRecording: () => ({ kind: 'files', target: '', before: unrecorded }),
  pushFile: () => ({ kind: 'files', target: '', before: unrecorded })
}

function noteApp (phone: PhoneFacts, appId: string, { signal }: Command): Note {
  return { kind: 'app', target: appId, before: async () => (await phone.homeApps(signal)).includes(appId) ? 'home' : 'absent' }
}

function noteAppData (appId: string): Note {
  return { kind: 'app_data', target: appId, before: unrecorded }
}

function noteLocation (phone: PhoneFacts, command: Command): Note {
  return { kind: 'location', target: '', before: async () => await phone.getLocation(command) ?? null }
}

/** Where the home state says what there was, or nothing brings it back. */
function unrecorded (): null {
  return null
}
