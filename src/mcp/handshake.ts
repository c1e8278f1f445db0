/** What a client asks of the server itself: `server/discover` now; `initialize`, `ping` and `logging/setLevel` before. */
import { invalidParams } from '../protocol/error-table.ts'
import { isLogLevel, logLevels } from '../protocol/log-level.ts'
import { isObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import type { Encoder } from '../protocol/encode.ts'
import { isLegacyVersion, modernVersions, newestLegacyVersion } from '../protocol/versions.ts'
import type { MethodTable } from './method.ts'
import { capabilities, instructions, serverInfo } from './server-card.ts'

/** The same for every caller until the next release of the server (DISC-03). */
const cache: CacheHint = { ttlMs: 300_000, scope: 'public' }

export function createHandshakeMethods (encoder: Encoder): MethodTable {
  const discovery: Result = {
    kind: 'prepared',
    prepared: encoder.prepare('server/discover', { supportedVersions: modernVersions, capabilities: capabilities.modern, instructions }, cache)
  }

  return {
    'server/discover': { eras: ['modern'], handle: () => discovery },

    // LEGACY-01, LEGACY-02: no session begins here, every later request stands alone.
    initialize: {
      eras: ['legacy'],
      handle ({ params }) {
        const { protocolVersion, capabilities: declared, clientInfo } = params
        if (typeof protocolVersion !== 'string' || !isObject(declared) || !isObject(clientInfo)) {
          throw new ProtocolError(invalidParams('initialize needs protocolVersion (string), capabilities (object) and clientInfo (object).'))
        }
        return complete({
          protocolVersion: isLegacyVersion(protocolVersion) ? protocolVersion : newestLegacyVersion,
          capabilities: capabilities.legacy,
          serverInfo,
          instructions
        })
      }
    },

    ping: { eras: ['legacy'], handle: () => complete({}) },

    // LEGACY-08: nothing is remembered; the level of every later request stays as it is.
    'logging/setLevel': {
      eras: ['legacy'],
      handle ({ params }) {
        if (!isLogLevel(params['level'])) throw new ProtocolError(invalidParams(`params.level must be one of ${logLevels.join(', ')}.`))
        return complete({})
      }
    }
  }
}
