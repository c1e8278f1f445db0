import fp from 'fastify-plugin'
import type { Store } from '../src/store/store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What outlives the process; there once the start-up has opened it. */
    readonly store: Store
  }
}

export interface StoreOptions {
  readonly open: () => Promise<Store>
}

/** Owns the database: `fastify.store`. */
export default fp<StoreOptions>(async function store (fastify, { open }) {
  let opened: Store | undefined

  fastify.decorate('store', {
    getter: () => {
      if (opened === undefined) throw new Error('the store is not open')
      return opened
    }
  })

  fastify.onStartUp(async () => { opened = await open() })
  fastify.addHook('onClose', async () => opened?.close())
}, { name: 'store', fastify: '5.x', dependencies: ['lifecycle'] })
