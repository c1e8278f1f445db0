import { hasDevice, overlap, type DeviceSet } from './device-set.ts'

/**
 * Gives each wanted device a device of its own, for as many of them as possible.
 *
 * The devices come in order of preference. Each one is taken if the devices taken before can be
 * rearranged so that one of the wanted is left for it (an augmenting path). So all of the wanted
 * are served if that is possible at all, and by the devices that come first.
 *
 * @param wanted which devices match, for each of the wanted
 * @returns the device for each of the wanted; undefined where none was left
 */
export function assignDevices (
  wanted: readonly DeviceSet[], devices: readonly number[], available: DeviceSet
): Array<number | undefined> {
  const assigned = wanted.map((): number | undefined => undefined)
  let missing = wanted.length

  function place (device: number, moved?: Set<number>): boolean {
    const open = wanted.findIndex((matching, i) => assigned[i] === undefined && hasDevice(matching, device))
    if (open !== -1) {
      assigned[open] = device
      return true
    }
    // Another of the wanted may give up its device for this one and take a different device.
    const tried = moved ?? new Set()
    for (const [i, matching] of wanted.entries()) {
      const other = assigned[i]
      if (other === undefined || tried.has(i) || !hasDevice(matching, device)) continue
      tried.add(i)
      if (place(other, tried)) {
        assigned[i] = device
        return true
      }
    }
    return false
  }

  for (const device of devices) {
    if (missing === 0) break
    if (hasDevice(available, device) && place(device)) missing--
  }
  return assigned
}

/** As `assignDevices`, but a device for each of the wanted, or undefined when that is not possible. */
export function assignAll (
  wanted: readonly DeviceSet[], devices: readonly number[], available: DeviceSet
): readonly number[] | undefined {
  if (!wanted.every((matching) => overlap(matching, available))) return undefined
  const assigned = assignDevices(wanted, devices, available).filter((index) => index !== undefined)
  return assigned.length === wanted.length ? assigned : undefined
}
