import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import type { DeviceDriver } from '../device-driver.ts'
import { loadApps, sampleAppsFolder } from './apps/load-apps.ts'
import { createFaults } from './faults.ts'
import { androidProfile, iosProfile, type PhoneProfile } from './phone/phone-profile.ts'
import { createVirtualPhone } from './phone/virtual-phone.ts'
import { seededRandom } from './seeded-random.ts'
import { createVirtualDriver } from './virtual-driver.ts'
import type { VirtualSettings } from './virtual-settings.ts'

const families: ReadonlyArray<{ readonly key: 'android' | 'ios', readonly name: string, readonly profile: PhoneProfile }> = [
  { key: 'android', name: 'Virtual Android', profile: androidProfile },
  { key: 'ios', name: 'Virtual iPhone', profile: iosProfile }
]

/**
 * Makes the virtual phones that the settings ask for: `virtual-android-1`, `virtual-ios-1`, …
 *
 * @throws {AppFileRefusal} when an app file cannot be used
 * @throws {AppsFolderRefusal} when the folder for them cannot be read
 */
export function createVirtualPhones ({ settings, clock, scheduler, ids }: {
  readonly settings: VirtualSettings
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
}): DeviceDriver[] {
  const apps = loadApps([sampleAppsFolder, ...(settings.appsFolder === undefined ? [] : [settings.appsFolder])])
  const wanted = families.flatMap(({ key, name, profile }) => Array.from({ length: settings[key] }, (_, index) => ({
    profile,
    id: `virtual-${key}-${index + 1}`,
    name: `${name} ${index + 1}`
  })))
  return wanted.map(({ id, name, profile }, index) => createVirtualDriver({
    id,
    name,
    phone: createVirtualPhone({ profile, apps, clock, ids }),
    apps,
    acceptsDefinitions: settings.installs === 'definitions',
    // Each phone has luck of its own.
    faults: createFaults({ settings: settings.faults, random: seededRandom(settings.faults.seed + index), clock }),
    clock,
    scheduler
  }))
}
