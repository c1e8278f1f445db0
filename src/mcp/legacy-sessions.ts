/**
 * Session ids for clients of the 2025 revisions, where the operator wants them (LEGACY-02).
 *
 * An id is minted at `initialize` and kept nowhere: what the client declared then is sealed in it,
 * for its principal. It tells two clients of one principal apart, whose request ids are alike, and
 * says what a client can be asked. It admits to nothing and is never demanded. One that does not
 * open, because it is old or its key is lost, still tells its client from the others, as any text
 * does that a client always sends and no other one has.
 */
import { createHash } from 'node:crypto'
import type { LegacySession } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { Principal } from '../protocol/principal.ts'
import { createSealer, type SealedFor, type SealingKeys } from '../protocol/sealed-string.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'

export interface LegacySessions {
  /** The id for a client that has declared these capabilities. */
  begin (principal: Principal, declared: JsonObject): string
  /** What a request says that came with this id, or with none. */
  read (id: string | undefined, principal: Principal): GivenSession
}

export interface GivenSession {
  /** Tells the clients of one principal apart, also where the id does not open; undefined where there is none. */
  readonly idHash: string | undefined
  /** Undefined for an id that is not of this principal, or too old. */
  readonly session: LegacySession | undefined
}

export const noSession: GivenSession = { idHash: undefined, session: undefined }

/** A client that lives longer loses no more than what it had without an id. */
const lifeMs = 30 * 24 * 3_600_000

/** No id of ours comes near it. */
const longestId = 1_024

export function createLegacySessions ({ keys, clock, ids }: {
  readonly keys: SealingKeys
  readonly clock: Clock
  readonly ids: Pick<Ids, 'bytes'>
}): LegacySessions {
  const sealer = createSealer({ keys, purpose: 'legacy session', lifeMs, clock, ids })
  const of = (principal: Principal): SealedFor => ({ principal, method: 'initialize', target: 'session', arguments: {} })

  return {
    begin (principal, declared) {
      const session: LegacySession = { capabilities: askable(declared) }
      return sealer.seal(session, of(principal))
    },
    read (id, principal) {
      if (id === undefined || id === '') return noSession
      // Only we seal with this purpose.
      const session = id.length > longestId ? undefined : sealer.open(id, of(principal))?.content as LegacySession | undefined
      return { idHash: createHash('sha256').update(id, 'utf8').digest('base64url'), session }
    }
  }
}

/** What of the capabilities decides about questions (CAP-01), so that an id stays short whatever a client declares. */
function askable (declared: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(askableMembers).flatMap(([name, members]) => {
    const capability = declared[name]
    if (!isObject(capability)) return []
    return [[name, Object.fromEntries(members.filter((member) => isObject(capability[member])).map((member) => [member, {}]))]]
  }))
}

const askableMembers = { elicitation: ['form', 'url'], sampling: ['tools', 'context'], roots: [] as string[] }
