/**
 * The driver: the only thing the rest of mooring sees of a phone.
 *
 * One object stands for one phone. Its id is stable (never a serial or a port); the boot id
 * tells one continuous presence of the phone, its incarnation, from the next. Every command
 * carries the fencing token of the lease it acts for; a driver refuses a token lower than one
 * it has seen, even from a holder that never noticed the end of its lease
 * (`fenced-driver.ts`). A driver that cannot do something says so with an
 * `UnsupportedRefusal` that names what is missing; it never pretends.
 *
 * Coordinates are device pixels of the phone's current rotation, origin at the top left,
 * whatever the size of a screenshot.
 *
 * What changes the state of a phone beyond its screen stands in files of its own, by idea.
 */
import type { AppCommands } from './app-commands.ts'
import type { AppInfo, Command, DeviceDescription, Key, LaunchOptions, Observation, Point, Screenshot } from './device-types.ts'
import type { FileCommands } from './file-commands.ts'
import type { RecordingCommands } from './recording-commands.ts'
import type { SettingCommands } from './setting-commands.ts'

export interface DeviceDriver extends AppCommands, SettingCommands, RecordingCommands, FileCommands {
  readonly description: DeviceDescription

  /**
   * Names the phone's current boot. Equal ids mean that nothing on the phone was lost in
   * between; a new id is a new incarnation.
   *
   * @throws {DeviceOfflineRefusal} when the phone does not answer
   */
  bootId (signal: AbortSignal): Promise<string>

  /**
   * Ids of the apps that the phone has in its home state, the same for every holder. Like the
   * boot id this is no command: it touches nothing and is answered while commands run.
   */
  homeApps (signal: AbortSignal): Promise<readonly string[]>

  observe (command: Command): Promise<Observation>

  /** The whole screen, `width` image pixels wide (never wider than the screen itself). */
  screenshot (options: { readonly width: number }, command: Command): Promise<Screenshot>

  /**
   * Taps `count` times; `holdMs` of 400 or more is a long press.
   *
   * @throws {OutsideScreenRefusal} the point is not on the screen as it is turned now
   */
  tap (target: Point, options: { readonly count: number, readonly holdMs: number }, command: Command): Promise<void>

  /** @throws {OutsideScreenRefusal} one of the points is not on the screen as it is turned now */
  swipe (from: Point, to: Point, options: { readonly durationMs: number }, command: Command): Promise<void>

  /**
   * Types into the focused field.
   *
   * @throws {NoFocusedFieldRefusal} when nothing takes text
   */
  typeText (text: string, command: Command): Promise<void>

  /**
   * Empties the focused field.
   *
   * @throws {NoFocusedFieldRefusal} when nothing takes text
   */
  clearText (command: Command): Promise<void>

  pressKey (key: Key, options: { readonly count: number, readonly long: boolean }, command: Command): Promise<void>

  listApps (command: Command): Promise<readonly AppInfo[]>

  /** @throws {AppNotInstalledRefusal} */
  launchApp (appId: string, options: LaunchOptions, command: Command): Promise<void>

  /**
   * Stops the app; a stopped app stays stopped.
   *
   * @throws {AppNotInstalledRefusal}
   */
  terminateApp (appId: string, command: Command): Promise<void>

  /**
   * Opens a link in `appId`, or in whichever app claims it.
   *
   * @throws {LinkNotHandledRefusal} when no app does
   */
  openLink (url: string, options: { readonly appId?: string }, command: Command): Promise<void>

  /**
   * Makes the phone as new: nothing of what was done to it is left, home screen in front.
   * Says in short phrases what it did.
   */
  restoreHome (command: Command): Promise<readonly string[]>

  /** Frees what the driver holds. Commands after it are refused. */
  close (): Promise<void>
}
