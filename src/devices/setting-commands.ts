import type { Command, Orientation } from './device-types.ts'

/** A place on earth, in degrees (WGS 84). */
export interface Place {
  readonly latitude: number
  readonly longitude: number
}

/** Which networks a phone may use; airplane mode switches its radios off. */
export interface NetworkState {
  readonly wifi: boolean
  readonly data: boolean
  readonly airplane: boolean
}

/** Commands for settings of the phone as a whole, each with its reader. */
export interface SettingCommands {
  getOrientation (command: Command): Promise<Orientation>
  setOrientation (orientation: Orientation, command: Command): Promise<void>

  /** The language of the phone, a BCP 47 tag. */
  getLocale (command: Command): Promise<string>
  /** @throws {InvalidLocaleRefusal} it is no BCP 47 tag, or none that the phone knows */
  setLocale (locale: string, command: Command): Promise<void>

  /** Where the phone was told to be; undefined while it is where it is. */
  getLocation (command: Command): Promise<Place | undefined>
  setLocation (place: Place, command: Command): Promise<void>
  clearLocation (command: Command): Promise<void>

  getNetwork (command: Command): Promise<NetworkState>
  /** Changes what is given. Airplane mode changes the others with it, and they can be changed back. */
  setNetwork (change: Partial<NetworkState>, command: Command): Promise<void>

  getClipboard (command: Command): Promise<string>
  setClipboard (text: string, command: Command): Promise<void>
}
