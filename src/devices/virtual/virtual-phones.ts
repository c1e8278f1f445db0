import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import type { DeviceDriver } from '../device-driver.ts'
import { platforms, type Platform } from '../device-types.ts'
import { loadApps, sampleAppsFolder } from './apps/load-apps.ts'
import { createExchange } from './exchange.ts'
import { createFaults } from './faults.ts'
import { androidProfile, iosProfile, type PhoneProfile } from './phone/phone-profile.ts'
import { createVirtualPhone } from './phone/virtual-phone.ts'
import { seededRandom } from './seeded-random.ts'
import { createVirtualDriver } from './virtual-driver.ts'
import type { VirtualSettings } from './virtual-settings.ts'

const families: Readonly<Record<Platform, { readonly name: string, readonly profile: PhoneProfile }>> = {
  android: { name: 'Virtual Android', profile: androidProfile },
  ios: { name: 'Virtual iPhone', profile: iosProfile }
}

export interface VirtualPhoneParts {
  readonly settings: VirtualSettings
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
}

/** The id of a virtual phone that may be made, and the name it has unless it gets another. */
export interface PhoneIdentity {
  readonly platform: Platform
  readonly id: string
  readonly name: string
}

/** Makes virtual phones: `virtual-android-1`, `virtual-ios-1`, … */
export interface PhoneMaker {
  /** The next identity of a platform. Each is given out once. */
  next (platform: Platform): PhoneIdentity
  make (phone: PhoneIdentity & { readonly model?: string, readonly labels?: readonly string[] }): DeviceDriver
}

/**
 * @throws {AppFileRefusal} when an app file cannot be used
 * @throws {AppsFolderRefusal} when the folder for them cannot be read
 */
export function createPhoneMaker ({ settings, clock, scheduler, ids }: VirtualPhoneParts): PhoneMaker {
  const apps = loadApps([sampleAppsFolder, ...(settings.appsFolder === undefined ? [] : [settings.appsFolder])])
  const given = { android: 0, ios: 0 }
  const exchange = createExchange(ids)
  let made = 0

  return {
    next (platform) {
      const number = ++given[platform]
      return { platform, id: `virtual-${platform}-${number}`, name: `${families[platform].name} ${number}` }
    },

    make ({ platform, ...identity }) {
      return createVirtualDriver({
        ...identity,
        phone: createVirtualPhone({ profile: families[platform].profile, apps, clock, ids, exchange }),
        apps,
        acceptsDefinitions: settings.installs === 'definitions',
        // Each phone has luck of its own.
        faults: createFaults({ settings: settings.faults, random: seededRandom(settings.faults.seed + made++), clock }),
        clock,
        scheduler
      })
    }
  }
}

/** Makes the virtual phones that the settings ask for. */
export function makeConfigured (maker: PhoneMaker, settings: VirtualSettings): DeviceDriver[] {
  return platforms.flatMap((platform) => Array.from({ length: settings[platform] }, () => maker.make(maker.next(platform))))
}

/**
 * The virtual phones that the settings ask for, by themselves.
 *
 * @throws {AppFileRefusal} when an app file cannot be used
 * @throws {AppsFolderRefusal} when the folder for them cannot be read
 */
export function createVirtualPhones (parts: VirtualPhoneParts): DeviceDriver[] {
  return makeConfigured(createPhoneMaker(parts), parts.settings)
}
