import fp from 'fastify-plugin'
import { openSealingKeys } from '../src/auth/sealing-key-file.ts'
import type { SealingKeys } from '../src/protocol/sealed-string.ts'
import type { Ids } from '../src/runtime/ids.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The master keys of what is handed to callers for safekeeping; there once the start-up has opened them. */
    readonly sealingKeys: SealingKeys
  }
}

export interface SealingKeysOptions {
  readonly file: string
  readonly ids: Ids
}

/**
 * Owns the sealing keys: `fastify.sealingKeys`. They are opened after the database, whose lock
 * makes the state directory ours.
 */
export default fp<SealingKeysOptions>(async function sealingKeys (fastify, { file, ids }) {
  let keys: SealingKeys | undefined

  fastify.decorate('sealingKeys', {
    getter: () => {
      if (keys === undefined) throw new Error('the sealing keys are not open')
      return keys
    }
  })

  fastify.onStartUp(async () => { keys = await openSealingKeys({ file, ids }) })
}, { name: 'sealing-keys', fastify: '5.x', dependencies: ['store'] })
