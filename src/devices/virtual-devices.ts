import type { DeviceDescription, Platform } from './device-types.ts'

/** A virtual device as an operator wants it. */
export interface VirtualDeviceOrder {
  readonly platform: Platform
  /** What is not said is as with the devices of the settings. */
  readonly name?: string
  readonly model?: string
  /** Besides `virtual`. */
  readonly labels?: readonly string[]
  /** The operator's principal. */
  readonly by: string
}

export interface VirtualDeviceRemoval {
  readonly device: string
  readonly reason: string
  /** The operator's principal. */
  readonly by: string
  /** Whether a lease on it goes on until its holder or its time ends it, or ends now. */
  readonly lease: 'goes_on' | 'ends'
}

/** Virtual devices that operators add to the pool, and take out of it, while the gateway runs. */
export interface VirtualDevices {
  /**
   * Makes a device. Resolves once it is in the pool. Its id is new: no device in the pool has ever had it.
   *
   * @throws {VirtualDeviceLimitRefusal} there are as many as there may be
   */
  add (order: VirtualDeviceOrder): Promise<DeviceDescription>

  /**
   * Takes a device out of the pool, one of the settings as well. Resolves once it is not granted
   * any more, and once its lease has ended if that is to end; the device leaves when its lease is
   * over and it has been cleaned.
   *
   * @returns false when there is no such virtual device
   */
  remove (removal: VirtualDeviceRemoval): Promise<boolean>
}
