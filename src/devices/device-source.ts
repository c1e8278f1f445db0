/**
 * The device source: where devices of the pool come from, and what says that one is there or gone.
 *
 * A source finds devices (it makes virtual ones, or listens to what is plugged in), makes a
 * driver for each, and tells a sink. The pool is the sink: it keeps the devices that sources have
 * told of, and knows nothing of how they were found. Sources tell as things happen, for as long
 * as they run; the pool changes while the gateway runs.
 *
 * A driver belongs to the sink from `appeared` on. The sink closes it once nothing needs it any
 * more: another driver has taken its place, its device is out of the pool, or the pool stops.
 * A source that wants to know hears of it by `close`.
 *
 * A device is recognized by the id of its description, and whether anything on it was lost
 * meanwhile by its boot id.
 */
import type { DeviceDriver } from './device-driver.ts'

/** Why a device is not there any more. */
export type Departure =
  /**
   * The source has lost sight of it: the cable is out, its host is down. It stays in the pool,
   * offline, and may appear again; a lease on it waits for that as long as for any device that
   * does not answer.
   */
  | {
    readonly kind: 'lost'
    /** A sentence; callers and operators see it. */
    readonly reason: string
  }
  /** An operator takes it out of the pool. */
  | {
    readonly kind: 'removed'
    readonly reason: string
    /** The operator's principal. */
    readonly by: string
    /** Whether a lease on it goes on until its holder or its time ends it, or ends now. */
    readonly lease: 'goes_on' | 'ends'
  }

export interface DeviceSink {
  /**
   * A device is there, for the first time or again. A driver for the id of a device that is there
   * takes the place of the driver before.
   *
   * Resolves once the device is recorded and has been looked at, so that it can be granted if it
   * answers; never later than a look may take. Rejects when it could not be recorded, or when it
   * came from another source: the sink has closed the driver then, and the source may try again
   * with another.
   *
   * @param order by which operator's order the device is there; without one it came by itself
   */
  appeared (driver: DeviceDriver, order?: { readonly by: string }): Promise<void>

  /**
   * A device is gone. Resolves once it is not granted any more, and once its lease has ended if
   * that is to end. A device that is removed leaves the pool when its lease is over and it has
   * been cleaned, or could not be; it closes its driver then. One that was never there is gone
   * already.
   */
  gone (deviceId: string, departure: Departure): Promise<void>

  /** Whether a device of that id has ever been in the pool, in an earlier process as well. */
  isKnown (deviceId: string): Promise<boolean>
}

export interface DeviceSource {
  /**
   * Begins to tell of devices. Resolves once it has told of those that are there now: a lease
   * whose device no source has told of by then has lost it.
   */
  start (sink: DeviceSink): Promise<void>

  /** Tells nothing from now on, and frees what it holds beside the drivers it gave away. */
  stop (): Promise<void>
}

/** A source of devices that are all there from the start and stay. */
export function fixedDevices (drivers: readonly DeviceDriver[]): DeviceSource {
  return {
    async start ({ appeared }) {
      const ids = drivers.map(({ description: { id } }) => id)
      if (new Set(ids).size !== ids.length) throw new Error('two drivers claim to be the same device')
      await Promise.all(drivers.map(async (driver) => await appeared(driver)))
    },
    async stop () {}
  }
}
