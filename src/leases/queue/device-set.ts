/**
 * Devices of one list, as a bit for each index in the list. The queue compares such sets very
 * often between two grants, so they are small and compared a word at a time.
 */
export type DeviceSet = Uint32Array

export function emptyDeviceSet (size: number): DeviceSet {
  return new Uint32Array(Math.ceil(size / 32))
}

/** The devices of a list for which `isIn` holds. */
export function deviceSetOf<T> (devices: readonly T[], isIn: (device: T) => boolean): DeviceSet {
  const set = emptyDeviceSet(devices.length)
  for (const [i, device] of devices.entries()) {
    if (isIn(device)) addDevice(set, i)
  }
  return set
}

export function addDevice (set: DeviceSet, index: number): void {
  set[index >>> 5] = (set[index >>> 5] ?? 0) | (1 << (index & 31))
}

export function removeDevice (set: DeviceSet, index: number): void {
  set[index >>> 5] = (set[index >>> 5] ?? 0) & ~(1 << (index & 31))
}

export function hasDevice (set: DeviceSet, index: number): boolean {
  return ((set[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0
}

export function addDevices (set: DeviceSet, others: DeviceSet): void {
  for (let i = 0; i < set.length; i++) set[i] = (set[i] ?? 0) | (others[i] ?? 0)
}

export function isEmpty (set: DeviceSet): boolean {
  return set.every((word) => word === 0)
}

export function overlap (one: DeviceSet, other: DeviceSet): boolean {
  for (let i = 0; i < one.length; i++) {
    if (((one[i] ?? 0) & (other[i] ?? 0)) !== 0) return true
  }
  return false
}

/** The device with the lowest index that is in both; undefined when there is none. */
export function firstDevice (one: DeviceSet, other: DeviceSet): number | undefined {
  for (let i = 0; i < one.length; i++) {
    const both = (one[i] ?? 0) & (other[i] ?? 0)
    if (both !== 0) return i * 32 + 31 - Math.clz32(both & -both)
  }
  return undefined
}
