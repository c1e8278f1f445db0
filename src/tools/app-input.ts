import { z } from 'zod'
import { AppNotInstalledRefusal } from '../devices/device-refusals.ts'
import { fold } from '../devices/screen/fold.ts'
import { nearestName } from '../refusals/nearest-name.ts'
import type { DeviceUse } from './device-use.ts'

const idShape = /^\w+(?:\.[\w-]+)+$/

/** The argument that names an app. */
export const appInput = z.string().min(1).max(256).describe('App id from listApps')

/**
 * The id of the app that was named by its id, or by its name where only one app has that.
 *
 * @throws {AppNotInstalledRefusal} with the app that was probably meant
 */
export async function appIdOf (app: string, { driver, command }: Pick<DeviceUse, 'driver' | 'command'>): Promise<string> {
  // What looks like an id is left to the driver: it is asked once, as nearly always.
  if (idShape.test(app)) return app
  const apps = await driver.listApps(command)
  if (apps.some(({ id }) => id === app)) return app
  const named = apps.filter(({ name }) => fold(name) === fold(app))
  if (named.length === 1) return named[0]!.id
  const nearest = nearestName(app, apps.map(({ name }) => name))
  throw new AppNotInstalledRefusal(app, apps.map(({ id }) => id), named[0] ?? apps.find(({ name }) => name === nearest))
}
