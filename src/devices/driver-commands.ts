/**
 * Every member of the driver's port, and of which kind it is. Drivers are wrapped by this table
 * (`fenced-driver.ts`, `leases/cleanup/recording-driver.ts`), so that no command is forgotten: a
 * member of the port that is missing here does not compile, nor does a `change` of which nothing
 * says how it is written down and undone.
 *
 *   fact    no command: it touches nothing, belongs to no lease, and is told while commands run
 *   look    reads, and leaves the phone as it was
 *   act     touches the screen and what runs on it; the way to the home screen ends that anyway
 *   change  changes what outlasts the screen: it is written down before it is made
 *   undo    takes away what a `change` that was written down has brought
 *   reset   makes the phone as new, so that nothing of what was written down is left to undo
 */
import type { DeviceDriver } from './device-driver.ts'
import type { Command } from './device-types.ts'

export type CommandKind = 'look' | 'act' | 'change' | 'undo' | 'reset'

/** A member of the port is a command if a `Command` is its last argument. */
type KindsFor<Member> = Member extends (...args: infer Args) => Promise<unknown>
  ? Args extends readonly [...unknown[], Command] ? CommandKind : 'fact'
  : 'fact'

/** A kind for each member of a port, and for nothing else. */
export type MemberKinds<Port> = { readonly [Name in keyof Port]: KindsFor<Port[Name]> }

export const memberKinds = {
  description: 'fact',
  bootId: 'fact',
  homeApps: 'fact',
  close: 'fact',

  observe: 'look',
  screenshot: 'look',
  tap: 'act',
  swipe: 'act',
  typeText: 'act',
  clearText: 'act',
  pressKey: 'act',
  openLink: 'act',
  restoreHome: 'reset',

  listApps: 'look',
  inspectApp: 'look',
  // It may be told to erase the app's data first.
  launchApp: 'change',
  terminateApp: 'act',
  installApp: 'change',
  uninstallApp: 'change',
  restoreApp: 'change',
  clearAppData: 'change',
  listPermissions: 'look',
  setPermission: 'change',

  getOrientation: 'look',
  setOrientation: 'change',
  getLocale: 'look',
  setLocale: 'change',
  getLocation: 'look',
  setLocation: 'change',
  clearLocation: 'change',
  getNetwork: 'look',
  setNetwork: 'change',
  getClipboard: 'look',
  setClipboard: 'change',

  startRecording: 'change',
  // What was recorded becomes a file.
  stopRecording: 'change',
  discardRecording: 'undo',

  listFiles: 'look',
  pushFile: 'change',
  pullFile: 'look',
  removeFile: 'undo'
} as const satisfies MemberKinds<DeviceDriver>

/** Names of the members of a kind. */
export type NamesOf<Kind, Kinds = typeof memberKinds> = {
  [Name in keyof Kinds]: Kinds[Name] extends Kind ? Name : never
}[keyof Kinds]

export type CommandName = NamesOf<CommandKind>

/** The commands of a driver, without its facts. */
export type DriverCommands = Pick<DeviceDriver, CommandName>

/** Any command, when it does not matter which. Its last argument is a `Command`. */
export type AnyCommand = (...args: readonly unknown[]) => Promise<unknown>

function isCommand (name: keyof DeviceDriver): name is CommandName {
  return memberKinds[name] !== 'fact'
}

export const commandNames = (Object.keys(memberKinds) as Array<keyof DeviceDriver>).filter(isCommand)

/** The commands of `driver`, each as `wrap` makes it. Wrapping costs something once, not with each call. */
export function wrapCommands (driver: DriverCommands, wrap: (name: CommandName, run: AnyCommand) => AnyCommand): DriverCommands {
  // The driver's own type takes the arguments of that one command, which are what is passed on.
  const runner = (name: CommandName): AnyCommand => (...args) => (driver[name] as AnyCommand)(...args)
  const wrapped = commandNames.map((name) => [name, wrap(name, runner(name))])
  // The names are all there are, and what a wrapper returns is called in place of what it got.
  return Object.fromEntries(wrapped) as DriverCommands
}

/** The `Command` of a call. */
export function commandOf (args: readonly unknown[]): Command {
  // The table takes no other last argument for a command.
  return args[args.length - 1] as Command
}
