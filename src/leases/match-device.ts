import type { DeviceDescription } from '../devices/device-driver.ts'
import type { DeviceSelector } from './lease-manager.ts'

/** Whether a device is what the selector asks for, taken or not. */
export function matchesSelector (device: DeviceDescription, selector: DeviceSelector): boolean {
  return (selector.device === undefined || selector.device === device.id) &&
    (selector.platform === undefined || selector.platform === device.platform) &&
    (selector.kind === undefined || selector.kind === device.kind) &&
    (selector.model === undefined || matchesGlob(device.model, selector.model)) &&
    (selector.labels ?? []).every((label) => device.labels.includes(label))
}

/**
 * Whether the whole text fits a pattern of literal characters, `*` and `?`, letter case aside.
 * Walks both with one step back to the last star, so that no pattern of a caller's takes longer
 * than the product of the two lengths; a regular expression made from it could take for ever.
 */
export function matchesGlob (text: string, pattern: string): boolean {
  const wanted = [...pattern.toLowerCase()]
  const given = [...text.toLowerCase()]
  let at = 0
  let lastStar = -1
  let afterLastStar = 0
  for (let i = 0; i < given.length;) {
    if (wanted[at] === '*') {
      lastStar = at++
      afterLastStar = i
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[i])) {
      at++
      i++
    } else if (lastStar >= 0) {
      at = lastStar + 1
      i = ++afterLastStar
    } else {
      return false
    }
  }
  return wanted.slice(at).every((character) => character === '*')
}
