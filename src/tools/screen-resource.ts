import type { ScreenMemory } from '../devices/screen/screen-memory.ts'
import { viewScreen, type ScreenView } from '../devices/screen/screen-view.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { LeaseManager } from '../leases/contract/lease-manager.ts'
import { createDeviceUses, type UseRequest } from './device-use.ts'
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

export function createScreenResource (parts: {
  readonly leases: LeaseManager
  readonly screens: ScreenMemory
  readonly onScreenChange: (lease: Lease) => void
}): ScreenResource {
  const { reading } = createDeviceUses(parts)

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
