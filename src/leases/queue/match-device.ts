import type { DeviceDescription } from '../../devices/device-types.ts'
import { quote } from '../../text/quote.ts'
import type { DeviceSelector } from '../contract/lease-manager.ts'
import { osMatcher } from './match-os.ts'

/** Whether a device matches the selector, leased or not. An invalid OS range matches no device. */
export function matchesSelector (device: DeviceDescription, selector: DeviceSelector): boolean {
  return deviceMatcher(selector)(device)
}

/** The same for many devices: what follows from the selector alone is computed once. */
export function deviceMatcher (
  { device: id, platform, kind, model, os, labels = [], withoutLabels = [] }: DeviceSelector
): (device: DeviceDescription) => boolean {
  const isInRange = os === undefined ? undefined : osMatcher(os)
  return (device) => (id === undefined || id === device.id) &&
    (platform === undefined || platform === device.platform) &&
    (kind === undefined || kind === device.kind) &&
    (model === undefined || matchesGlob(device.model, model)) &&
    labels.every((label) => device.labels.includes(label)) &&
    !withoutLabels.some((label) => device.labels.includes(label)) &&
    (isInRange === undefined || isInRange(device.osVersion))
}

/** What a selector asks for, in words. */
export function selectorText (
  { device, platform, kind, model, os, labels = [], withoutLabels = [] }: DeviceSelector
): string {
  const parts = [
    ...(device === undefined ? [] : [`device ${quote(device)}`]),
    ...(kind === undefined ? [] : [kind]),
    ...(platform === undefined ? [] : [platform]),
    ...(model === undefined ? [] : [`model ${quote(model)}`]),
    ...(os === undefined ? [] : [`OS ${quote(os)}`]),
    ...labels.map((label) => `with label ${quote(label)}`),
    ...withoutLabels.map((label) => `without label ${quote(label)}`)
  ]
  return parts.length === 0 ? 'any device' : parts.join(' ')
}

/**
 * Whether the whole text matches a pattern of literal characters, `*` and `?`, ignoring case.
 * The search only ever steps back to the last star, so no pattern of a caller takes longer than
 * the product of the two lengths; a regular expression made from it could run for ever.
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
