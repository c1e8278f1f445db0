/** Devices of one list, by their place in it: small enough to be compared a million times between two grants. */
export type DeviceSet = Uint32Array

export function emptyDeviceSet (size: number): DeviceSet {
  return new Uint32Array(Math.ceil(size / 32))
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
