import { hasDevice, type DeviceSet } from './device-set.ts'

/**
 * Gives each wish a device of its own, as many wishes as can have one.
 *
 * The devices come in the order in which they should be taken. Each in turn is taken if the
 * ones taken before can be shared out anew so that there is a wish left for it (an augmenting
 * path). So an assignment for all wishes is found if there is one, and of all that there are, it
 * is the one with the devices that come first.
 *
 * @param wishes which devices would do, per wish
 * @returns the device per wish; undefined where none was left
 */
export function assignDevices (
  wishes: readonly DeviceSet[], devices: readonly number[], available: DeviceSet
): Array<number | undefined> {
  const assigned = wishes.map((): number | undefined => undefined)
  let missing = wishes.length

  function findWish (device: number, moved?: Set<number>): boolean {
    const unmet = wishes.findIndex((wish, i) => assigned[i] === undefined && hasDevice(wish, device))
    if (unmet !== -1) {
      assigned[unmet] = device
      return true
    }
    // Whoever has what this device could be for may be able to do with another one.
    const tried = moved ?? new Set()
    for (const [i, wish] of wishes.entries()) {
      const other = assigned[i]
      if (other === undefined || tried.has(i) || !hasDevice(wish, device)) continue
      tried.add(i)
      if (findWish(other, tried)) {
        assigned[i] = device
        return true
      }
    }
    return false
  }

  for (const device of devices) {
    if (missing === 0) break
    if (hasDevice(available, device) && findWish(device)) missing--
  }
  return assigned
}
