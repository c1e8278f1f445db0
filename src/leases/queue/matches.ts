import type { DeviceDescription } from '../../devices/device-types.ts'
import type { DeviceSelector } from '../contract/lease-manager.ts'
import { addDevices, deviceSetOf, emptyDeviceSet, type DeviceSet } from './device-set.ts'
import { deviceMatcher } from './match-device.ts'

/** How many sets are kept to be shared. Beyond it equal sets may be different objects, which is only slower. */
const mostShared = 4_096

/** Which devices of the list match a request. */
export interface Matches {
  /** For each device that the request wants, the devices that match its selector. */
  readonly each: readonly DeviceSet[]
  /** The devices that match any of its selectors. */
  readonly any: DeviceSet
}

/** Matches selectors with a list of devices, once for each request as long as the list stays the same. */
export interface Matcher {
  /** Goes over to this list. @returns whether it differs from the one before, so that earlier matches are void */
  update (devices: ReadonlyArray<{ readonly description: DeviceDescription }>): boolean
  matches (wanted: readonly DeviceSelector[]): Matches
}

export function createMatcher (): Matcher {
  let descriptions: readonly DeviceDescription[] = []
  let known = new WeakMap<readonly DeviceSelector[], Matches>()
  // Most requests want the same few sorts of devices. Equal sets are one object, so that
  // whatever is computed for a set is computed once for all requests that have it.
  const shared = new Map<string, DeviceSet>()

  function share (set: DeviceSet): DeviceSet {
    const key = set.join()
    const equal = shared.get(key)
    if (equal !== undefined) return equal
    if (shared.size >= mostShared) shared.clear()
    shared.set(key, set)
    return set
  }

  function match (wanted: readonly DeviceSelector[]): Matches {
    const each = wanted.map((selector) => share(deviceSetOf(descriptions, deviceMatcher(selector))))
    const any = emptyDeviceSet(descriptions.length)
    for (const set of each) addDevices(any, set)
    return { each, any: share(any) }
  }

  return {
    update (devices) {
      const isSame = devices.length === descriptions.length && devices.every(({ description }, i) => description === descriptions[i])
      if (isSame) return false
      descriptions = devices.map(({ description }) => description)
      shared.clear()
      known = new WeakMap()
      return true
    },

    matches (wanted) {
      const found = known.get(wanted) ?? match(wanted)
      known.set(wanted, found)
      return found
    }
  }
}
