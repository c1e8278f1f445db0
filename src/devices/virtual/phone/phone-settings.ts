/**
 * Settings of the phone as a whole. They are what apps see as `device`, and what the apps that
 * are part of the phone may change through it; so every way to change one is the same change.
 */
import { InvalidLocaleRefusal } from '../../device-state-refusals.ts'
import type { NetworkState, Place } from '../../setting-commands.ts'
import { displayText, isTruthy } from '../apps/json-value.ts'
import type { PhoneCore } from './phone-core.ts'
import type { DeviceVariables } from './phone-state.ts'

export function localeOf ({ locale }: DeviceVariables): string {
  return displayText(locale)
}

/** @throws {InvalidLocaleRefusal} */
export function setLocale (core: PhoneCore, locale: string): void {
  core.state.device.locale = canonicalLocale(locale)
  core.changed()
}

const textScales = new Map<unknown, number>([['small', 0.86], ['large', 1.3]])

/** How much larger texts are than usual. */
export function textScaleOf ({ textSize }: DeviceVariables): number {
  return textScales.get(textSize) ?? 1
}

export function locationOf ({ location }: DeviceVariables): Place | undefined {
  return location ?? undefined
}

export function setLocation (core: PhoneCore, place: Place | undefined): void {
  core.state.device.location = place === undefined ? null : { latitude: place.latitude, longitude: place.longitude }
  core.changed()
}

export function networkOf ({ wifi, mobileData, airplane }: DeviceVariables): NetworkState {
  return { wifi: isTruthy(wifi), data: isTruthy(mobileData), airplane: isTruthy(airplane) }
}

export function setNetwork (core: PhoneCore, { airplane, wifi, data }: Partial<NetworkState>): void {
  const { device } = core.state
  if (airplane !== undefined && airplane !== isTruthy(device.airplane)) {
    device.airplane = airplane
    device.wifi = !airplane
    device.mobileData = !airplane
  }
  if (wifi !== undefined) device.wifi = wifi
  if (data !== undefined) device.mobileData = data
  core.changed()
}

function canonicalLocale (locale: string): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(locale)
    if (canonical !== undefined) return canonical
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw new InvalidLocaleRefusal(locale)
}
