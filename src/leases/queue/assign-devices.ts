import { addDevice, emptyDeviceSet, firstDevice, hasDevice, overlap, removeDevice, type DeviceSet } from './device-set.ts'

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
  /** Those that a search in vain has come to: all their matching devices lead back to them, so no later search gets further. */
  const settled = new Set<number>()

  function place (device: number, tried: Set<number>): boolean {
    const open = wanted.findIndex((matching, i) => assigned[i] === undefined && hasDevice(matching, device))
    if (open !== -1) {
      assigned[open] = device
      return true
    }
    // Another of the wanted may give up its device for this one and take a different device.
    for (const [i, matching] of wanted.entries()) {
      const other = assigned[i]
      if (other === undefined || settled.has(i) || tried.has(i) || !hasDevice(matching, device)) continue
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
    if (!hasDevice(available, device)) continue
    const tried = new Set<number>()
    if (place(device, tried)) missing--
    else for (const index of tried) settled.add(index)
  }
  return assigned
}

/** Some of the wanted for which there are fewer devices than of them. */
export interface TooFew {
  /** Their indexes among the wanted. */
  readonly wanted: readonly number[]
  /** How many devices there are for all of them together. */
  readonly devices: number
}

/** Which of the wanted keep the others from being served; undefined when there is a device for each. */
export function findTooFew (wanted: readonly DeviceSet[], devices: readonly number[], available: DeviceSet): TooFew | undefined {
  const assigned = assignDevices(wanted, devices, available)
  const without = assigned.indexOf(undefined)
  if (without === -1) return undefined
  // Every device that matches one of these is assigned to one of these, or the first could have had one.
  const competing = new Set([without])
  const contested = new Set<number>()
  for (const index of competing) {
    for (const device of devices) {
      if (!hasDevice(available, device) || !hasDevice(wanted[index] ?? available, device)) continue
      contested.add(device)
      competing.add(assigned.indexOf(device))
    }
  }
  return { wanted: [...competing].sort((a, b) => a - b), devices: contested.size }
}

/**
 * Whether there is a device for each of the wanted.
 *
 * Each of the wanted in turn takes a device that is left. Where none is, one that was served before
 * gives up its device and takes another (an augmenting path). A device that is left ends the search at
 * once and each assigned device is looked at once, so the time of a search grows with the count
 * of the wanted and hardly with the devices. The queue asks this of every waiting request, and
 * `assignDevices` of the few that are served.
 */
export function canAssignAll (wanted: readonly DeviceSet[], available: DeviceSet): boolean {
  if (!wanted.every((matching) => overlap(matching, available))) return false
  const left = available.slice()
  const takenBy = new Map<number, number>()

  function serve (index: number, seen: DeviceSet): boolean {
    const matching = wanted[index] ?? left
    const free = firstDevice(matching, left)
    if (free !== undefined) {
      removeDevice(left, free)
      takenBy.set(free, index)
      return true
    }
    for (const [device, owner] of takenBy) {
      if (hasDevice(seen, device) || !hasDevice(matching, device)) continue
      addDevice(seen, device)
      if (serve(owner, seen)) {
        takenBy.set(device, index)
        return true
      }
    }
    return false
  }

  return wanted.every((_, index) => serve(index, emptyDeviceSet(available.length * 32)))
}

/** As `assignDevices`, but a device for each of the wanted, or undefined when that is not possible. */
export function assignAll (
  wanted: readonly DeviceSet[], devices: readonly number[], available: DeviceSet
): readonly number[] | undefined {
  if (!canAssignAll(wanted, available)) return undefined
  return assignDevices(wanted, devices, available).filter((index) => index !== undefined)
}
