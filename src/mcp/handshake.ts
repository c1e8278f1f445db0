/** What a client asks of the server itself: `server/discover` now; `initialize`, `ping` and `logging/setLevel` before. */
import { invalidParams } from '../protocol/error-table.ts'
import { isLogLevel, logLevels } from '../protocol/log-level.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete } from '../protocol/result.ts'
import { isLegacyVersion, modernVersions, newestLegacyVersion } from '../protocol/versions.ts'
import type { Capabilities } from './catalog/catalog.ts'
import type { ListPages } from './catalog/list-pages.ts'
import type { LegacySessions } from './legacy-sessions.ts'
import type { MethodTable } from './method.ts'
import { instructions, serverInfo } from './server-card.ts'

export function createHandshakeMethods ({ pages, legacySessions }: {
  readonly pages: ListPages
  /** Undefined where no session ids are given out. */
  readonly legacySessions: LegacySessions | undefined
}): MethodTable {
  return {
    'server/discover': {
      eras: ['modern'],
      handle: (_request, { capabilities, cache, revision }) => pages.whole(
        'server/discover', revision, cache, () => ({ supportedVersions: modernVersions, capabilities, instructions })
      )
    },

    // LEGACY-01, LEGACY-02: nothing is kept, every later request stands alone.
    initialize: {
      eras: ['legacy'],
      handle ({ params, principal }, view) {
        const { protocolVersion, capabilities: declared, clientInfo } = params
        if (typeof protocolVersion !== 'string' || !isObject(declared) || !isObject(clientInfo)) {
          const needed = 'protocolVersion (string), capabilities (object) and clientInfo (object)'
          throw new ProtocolError(invalidParams(`initialize needs ${needed}.`))
        }
        const body = {
          protocolVersion: isLegacyVersion(protocolVersion) ? protocolVersion : newestLegacyVersion,
          capabilities: legacyCapabilities(view.capabilities),
          serverInfo,
          instructions
        }
        return legacySessions === undefined ? complete(body) : { kind: 'complete', body, sessionId: legacySessions.begin(principal, declared) }
      }
    },

    ping: { eras: ['legacy'], answer: () => complete({}) },

    // LEGACY-08: nothing is remembered; the level of every later request stays as it is.
    'logging/setLevel': {
      eras: ['legacy'],
      answer ({ params }) {
        if (!isLogLevel(params['level'])) throw new ProtocolError(invalidParams(`params.level must be one of ${logLevels.join(', ')}.`))
        return complete({})
      }
    }
  }
}

/** LEGACY-05: without sessions there is no stream on which old clients could be told of changes. */
export function legacyCapabilities (capabilities: Capabilities): JsonObject {
  return { ...capabilities, tools: {}, resources: {}, prompts: {} }
}
