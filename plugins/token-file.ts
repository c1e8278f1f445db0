import fp from 'fastify-plugin'
import { publishToken, removeToken } from '../src/auth/token-file.ts'
import type { Ids } from '../src/runtime/ids.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where clients of this user find the token. */
    tokenFilePath: string
  }
}

export interface TokenFileOptions {
  readonly file: string
  readonly token: string
  readonly ids: Ids
  readonly scheduler: Scheduler
}

/**
 * Publishes the token for the clients of this user as the last step of the start-up, and takes
 * it away when the server closes, if it is still ours.
 */
export default fp<TokenFileOptions>(async function tokenFile (fastify, { file, token, ids, scheduler }) {
  const closing = new AbortController()

  fastify.decorate('tokenFilePath', file)

  fastify.onStartUp(async () => await publishToken({ file, token, ids, scheduler, signal: closing.signal }))

  fastify.addHook('onClose', async () => {
    closing.abort()
    await removeToken({ file, token })
  })
}, { name: 'token-file', fastify: '5.x', dependencies: ['lifecycle'] })
