import fp from 'fastify-plugin'
import type { DeviceDriver } from '../src/devices/device-driver.ts'
import { fixedDevices } from '../src/devices/device-source.ts'
import { createLeaseManager } from '../src/leases/create-lease-manager.ts'
import type { LeaseManager, PoolChange } from '../src/leases/contract/lease-manager.ts'
import type { LeaseSettings } from '../src/leases/contract/lease-settings.ts'
import type { Clock } from '../src/runtime/clock.ts'
import type { Ids } from '../src/runtime/ids.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The pool; there once the start-up has settled what an earlier process left. */
    readonly leases: LeaseManager
  }
}

export interface LeasesOptions {
  readonly settings: LeaseSettings
  /** Makes the drivers of all devices; they are closed with the pool. */
  readonly connectDevices: () => Promise<readonly DeviceDriver[]>
  /** Told of every change of a device or a lease. */
  readonly onChange: (change: PoolChange) => void
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
}

/** Owns the devices and their leases: `fastify.leases`. */
export default fp<LeasesOptions>(async function leases (fastify, { settings, connectDevices, onChange, clock, scheduler, ids }) {
  let manager: LeaseManager | undefined

  fastify.decorate('leases', {
    getter: () => {
      if (manager === undefined) throw new Error('the pool is not set up')
      return manager
    }
  })

  fastify.onStartUp(async () => {
    manager = createLeaseManager({
      store: fastify.store.leases,
      ledger: fastify.store.changes,
      sources: [fixedDevices(await connectDevices())],
      clock,
      scheduler,
      ids,
      settings,
      log: fastify.log,
      onChange
    })
    await manager.start()
  })

  fastify.addHook('onClose', async () => {
    await manager?.stop()
  })
}, { name: 'leases', fastify: '5.x', dependencies: ['store'] })
