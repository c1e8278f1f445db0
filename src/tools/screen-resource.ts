import { viewScreen, type ScreenView } from '../devices/screen/screen-view.ts'
import type { DeviceUses, UseRequest } from './device-use.ts'
import { nativeWidth, takeScreenshot } from './screenshot.ts'

/** What `mooring://leases/{lease}/screen` and `…/screenshot` are read from. */
export interface ScreenResource {
  /**
   * The whole screen in full, as lines and as data.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this principal's
   * @throws {LeaseEndedRefusal} over, with the reason
   */
  readScreen (request: UseRequest): Promise<ScreenView>
  /**
   * A PNG file of the screen at its own size.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this principal's
   * @throws {LeaseEndedRefusal} over, with the reason
   */
  readScreenshot (request: UseRequest): Promise<Buffer>
}

const mostElements = 500

export function createScreenResource ({ reading }: Pick<DeviceUses<UseRequest>, 'reading'>): ScreenResource {
  return {
    readScreen: (request) => reading(request, async ({ lease, look }) => {
      const { screen } = await look()
      const { lines, data } = viewScreen(screen, { detail: 'full', max: mostElements, includeOffscreen: false })
      return { lines, data: { device: lease.deviceId, ...data } }
    }),
    readScreenshot: (request) => reading(request, async (use) => {
      const { screen } = await use.look()
      return (await takeScreenshot(use, { maxWidth: nativeWidth, screen })).png
    })
  }
}
