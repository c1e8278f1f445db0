import type { AppInfo, Command } from './device-types.ts'

/** An app to install. Of what sort its file is, and how large it may be, is for the phone to say. */
export type AppSource =
  /** One that the driver has at hand. */
  | { readonly kind: 'known', readonly id: string }
  /** The file of an app, as text. */
  | { readonly kind: 'text', readonly text: string }
  /** A file on the machine that mooring runs on. No caller's word is taken for a path. */
  | { readonly kind: 'file', readonly path: string }

export const permissionStates = ['granted', 'denied', 'ask'] as const
/** What an app may do: it may, it may not, or the phone asks when the app wants it. */
export type PermissionState = (typeof permissionStates)[number]

/** Commands that change which apps are on a phone, what they remember and what they may do. */
export interface AppCommands {
  /**
   * Reads what an app is without installing it.
   *
   * @throws {InstallFailedRefusal} it is no app that this phone runs
   */
  inspectApp (source: AppSource, command: Command): Promise<Omit<AppInfo, 'running'>>

  /**
   * Installs an app; one of the same id makes room for it, with its data and permissions.
   *
   * @throws {InstallFailedRefusal} it is no app that this phone runs, or there is no room
   */
  installApp (source: AppSource, command: Command): Promise<AppInfo>

  /**
   * Removes an app with its data.
   *
   * @throws {AppNotInstalledRefusal}
   * @throws {UnsupportedRefusal} it is part of the phone
   */
  uninstallApp (appId: string, command: Command): Promise<void>

  /**
   * Puts an app of the home state back as it is there: present, in that version, without data
   * or permissions of its own.
   *
   * @throws {AppNotInstalledRefusal} the home state has no such app
   */
  restoreApp (appId: string, command: Command): Promise<void>

  /**
   * Stops an app and erases its data. Its permissions stay.
   *
   * @throws {AppNotInstalledRefusal}
   */
  clearAppData (appId: string, command: Command): Promise<void>

  /**
   * The permissions that an app can ask for.
   *
   * @throws {AppNotInstalledRefusal}
   */
  listPermissions (appId: string, command: Command): Promise<Readonly<Record<string, PermissionState>>>

  /**
   * @throws {AppNotInstalledRefusal}
   * @throws {UnknownPermissionRefusal} the app never asks for it
   */
  setPermission (appId: string, permission: string, state: PermissionState, command: Command): Promise<void>
}
