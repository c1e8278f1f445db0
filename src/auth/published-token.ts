import type { Ids } from '../runtime/ids.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { Service } from '../runtime/services.ts'
import { publishToken, removeToken } from './token-file.ts'

/**
 * The token file as a service: it comes last, so that a client that finds the token finds a
 * server that is ready, and it goes first, if it is still ours.
 */
export function createPublishedToken ({ file, token, ids, scheduler }: {
  readonly file: string
  readonly token: string
  readonly ids: Ids
  readonly scheduler: Scheduler
}): Service {
  return {
    name: 'token file',
    start: async (signal) => await publishToken({ file, token, ids, scheduler, signal }),
    async stop () {
      await removeToken({ file, token })
    }
  }
}
