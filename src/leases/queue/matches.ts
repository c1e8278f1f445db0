import type { DeviceDescription } from '../../devices/device-types.ts'
import type { DeviceSelector } from '../contract/lease-manager.ts'
import { deviceMatcher } from './match-device.ts'
import { addDevice, addDevices, emptyDeviceSet, type DeviceSet } from './device-set.ts'

/** Equal sets are the same object up to here; more are only slower. */
const mostShared = 4_096

/** Which devices of the pool would do for a request, by their place in the list of devices. */
export interface Wishes {
  readonly each: readonly DeviceSet[]
  /** For any of them. */
  readonly any: DeviceSet
}

/** Works out what would do for whom, once for as long as the pool has the same devices. */
export interface WishMatcher {
  /** @returns whether the pool has changed, and all wishes have to be worked out anew */
  look (devices: ReadonlyArray<{ readonly description: DeviceDescription }>): boolean
  wishes (wanted: readonly DeviceSelector[]): Wishes
}

export function createWishMatcher (): WishMatcher {
  let descriptions: readonly DeviceDescription[] = []
  // Most requests want the same few sorts of devices, and what is counted per sort is cheap.
  const shared = new Map<string, DeviceSet>()

  function share (set: DeviceSet): DeviceSet {
    const key = set.join()
    const known = shared.get(key)
    if (known !== undefined) return known
    if (shared.size >= mostShared) shared.clear()
    shared.set(key, set)
    return set
  }

  function matching (selector: DeviceSelector): DeviceSet {
    const set = emptyDeviceSet(descriptions.length)
    const matches = deviceMatcher(selector)
    for (const [i, description] of descriptions.entries()) {
      if (matches(description)) addDevice(set, i)
    }
    return share(set)
  }

  return {
    look (devices) {
      const isSame = devices.length === descriptions.length && devices.every(({ description }, i) => description === descriptions[i])
      if (isSame) return false
      descriptions = devices.map(({ description }) => description)
      shared.clear()
      return true
    },

    wishes (wanted) {
      const each = wanted.map(matching)
      const any = emptyDeviceSet(descriptions.length)
      for (const wish of each) addDevices(any, wish)
      return { each, any: share(any) }
    }
  }
}
