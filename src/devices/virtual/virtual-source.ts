/**
 * Virtual phones as a source of devices: those of the settings from the start on, and others that
 * operators add. All of them go into the pool by the same door as devices that are plugged in, and
 * operators may take all of them out again.
 *
 * Each phone has its memory in this process, so there is a bound on them. A phone counts from the
 * moment it is made until the pool has closed its driver: one that waits for the end of its lease
 * still counts. A phone that is added has an id that no device has had, not even in an earlier
 * process: leases, the audit and callers still speak of that one. The settings alone name phones
 * again, at each start.
 */
import type { DeviceDriver } from '../device-driver.ts'
import type { DeviceSink, DeviceSource } from '../device-source.ts'
import type { VirtualDevices } from '../virtual-devices.ts'
import { VirtualDeviceLimitRefusal } from './virtual-refusals.ts'
import { createPhoneMaker, makeConfigured, type PhoneIdentity, type PhoneMaker, type VirtualPhoneParts } from './virtual-phones.ts'
import { mostPhones } from './virtual-settings.ts'

export function createVirtualSource (parts: VirtualPhoneParts): DeviceSource & VirtualDevices {
  const phones = new Set<string>()
  let started: { readonly sink: DeviceSink, readonly maker: PhoneMaker } | undefined

  /** The same driver; the phone counts until it is closed. */
  function counted (driver: DeviceDriver): DeviceDriver {
    const { id } = driver.description
    phones.add(id)
    return {
      ...driver,
      async close () {
        phones.delete(id)
        await driver.close()
      }
    }
  }

  /** An identity that no device has had, with its place among the phones taken. */
  async function reserve ({ sink, maker }: NonNullable<typeof started>, platform: PhoneIdentity['platform']): Promise<PhoneIdentity> {
    for (;;) {
      if (phones.size >= mostPhones) throw new VirtualDeviceLimitRefusal(mostPhones)
      const identity = maker.next(platform)
      phones.add(identity.id)
      try {
        if (!await sink.isKnown(identity.id)) return identity
      } catch (fault) {
        phones.delete(identity.id)
        throw fault
      }
      phones.delete(identity.id)
    }
  }

  return {
    async start (sink) {
      const maker = createPhoneMaker(parts)
      started = { sink, maker }
      await Promise.all(makeConfigured(maker, parts.settings).map(async (driver) => await sink.appeared(counted(driver))))
    },

    // Nothing goes on here by itself. What operators still order, the sink refuses.
    async stop () {},

    async add ({ platform, by, ...wishes }) {
      const running = assertStarted(started)
      const driver = running.maker.make({ ...await reserve(running, platform), ...wishes })
      // A driver that the pool does not take, it closes.
      await running.sink.appeared(counted(driver), { by })
      return driver.description
    },

    async remove ({ device, ...removal }) {
      const { sink } = assertStarted(started)
      if (!phones.has(device)) return false
      await sink.gone(device, { kind: 'removed', ...removal })
      return true
    }
  }
}

function assertStarted<T> (started: T | undefined): T {
  if (started === undefined) throw new Error('the source of virtual phones is not running')
  return started
}
