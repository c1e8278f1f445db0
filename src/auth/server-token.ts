import type { Ids } from '../runtime/ids.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { Service } from '../runtime/services.ts'
import { readGivenToken } from './given-token.ts'
import { createToken, publishToken, readToken, removeToken } from './token-file.ts'
import { TokenFileMissingRefusal, TokenFileTakenRefusal } from './token-file-refusals.ts'
import type { TokenOrigin } from './token-origin.ts'

export interface ServerToken {
  readonly token: string
  /** What puts the token where clients find it; none where it is there without us. */
  readonly services: readonly Service[]
}

export interface TokenSource {
  readonly origin: TokenOrigin
  /** Where clients find the token. */
  readonly file: string
  /** What the variable holds; where the token comes from it. */
  readonly given: string | undefined
  readonly ids: Ids
  readonly scheduler: Scheduler
}

/**
 * The token of this server, by the rules of its origin (`token-origin.ts`). Nothing is written yet.
 *
 * @throws {TokenFileUnsafeRefusal} when the file of a kept token is not this user's alone
 * @throws {TokenUnusableRefusal} when a given token will not do
 */
export async function findServerToken (source: TokenSource): Promise<ServerToken> {
  const { origin, file, given, ids } = source
  switch (origin) {
    case 'new': return published(createToken(ids), source)
    case 'keep': return published(await keptToken(file) ?? createToken(ids), source)
    case 'file': return { token: await readGivenToken(file), services: [] }
    case 'variable':
      if (given === undefined) throw new Error('there is no token in the variable, which the settings are checked for')
      return { token: given, services: [] }
  }
}

async function keptToken (file: string): Promise<string | undefined> {
  try {
    return await readToken({ file })
  } catch (error) {
    if (error instanceof TokenFileMissingRefusal) return undefined
    throw error
  }
}

/**
 * The token file as a service: it comes last, so that a client that finds a new token finds a
 * server that is ready, and it goes first, if it is still ours. A token that is kept stays in it.
 */
function published (token: string, { origin, file, ids, scheduler }: TokenSource): ServerToken {
  const service: Service = {
    name: 'token file',
    async start (signal) {
      if (origin === 'keep') {
        const inPlace = await keptToken(file)
        if (inPlace === token) return
        // It was another one, or none, when this token was chosen.
        if (inPlace !== undefined) throw new TokenFileTakenRefusal(file)
      }
      await publishToken({ file, token, ids, scheduler, signal })
    },
    async stop () {
      if (origin === 'new') await removeToken({ file, token })
    }
  }
  return { token, services: [service] }
}
