/**
 * Which era a message belongs to (wire-contract §3), decided for each message alone and never
 * remembered (ERA-13): by its own `_meta` version first, then by the version header.
 *
 * H is the `MCP-Protocol-Version` header, M the body's own version.
 */
import { notARequest, unsupportedVersion } from './error-table.ts'
import { isObject, type JsonObject, type Message } from './message.ts'
import type { Rejection } from './rejection.ts'
import { isLegacyVersion, legacyVersions, modernVersion, oldestLegacyVersion, type LegacyVersion } from './versions.ts'

export const versionKey = 'io.modelcontextprotocol/protocolVersion'

export type EraDecision =
  | { readonly era: 'modern' }
  | { readonly era: 'legacy', readonly version: LegacyVersion }
  | { readonly era: undefined, readonly rejection: Rejection }

const modern: EraDecision = { era: 'modern' }

/** ERA-01…ERA-10. `header` is H, `undefined` when the request has none. */
export function decideEra (message: Exclude<Message, { kind: 'invalid' }>, header: string | undefined): EraDecision {
  switch (message.kind) {
    case 'request':
      if (statesVersion(message.params)) return modern
      if (message.method === 'initialize') return legacy(header)
      if (header === modernVersion) return modern
      if (header === undefined || isLegacyVersion(header)) return legacy(header)
      return { era: undefined, rejection: unsupportedVersion('ERA-06', header, legacyVersions) }
    case 'notification':
      return statesVersion(message.params) || header === modernVersion ? modern : legacy(header)
    case 'response':
      return header === modernVersion
        ? { era: undefined, rejection: notARequest('ERA-09', 'a client does not post responses in this revision') }
        : legacy(header)
  }
}

/** ERA-11, ERA-12: only the oldest revision has batches, and none with a modern element. */
export function decideBatch (elements: readonly unknown[], header: string | undefined): EraDecision {
  const refuse = (detail: string): EraDecision => ({ era: undefined, rejection: notARequest('LEGACY-21', detail) })
  if (header !== undefined && header !== oldestLegacyVersion) return refuse('this revision has no batches; send one message a request')
  if (elements.length === 0) return refuse('the batch is empty')
  if (elements.length > maxBatchElements) return refuse(`the batch has more than ${maxBatchElements} elements`)
  if (elements.some((element) => isObject(element) && isObject(element['params']) && statesVersion(element['params']))) {
    return refuse('a message of this revision cannot be part of a batch')
  }
  if (elements.some((element) => isObject(element) && element['method'] === 'initialize')) {
    return refuse('initialize cannot be part of a batch')
  }
  return { era: 'legacy', version: oldestLegacyVersion }
}

const maxBatchElements = 50

function statesVersion (params: JsonObject | undefined): boolean {
  const meta = params?.['_meta']
  return isObject(meta) && Object.hasOwn(meta, versionKey)
}

function legacy (header: string | undefined): EraDecision {
  return { era: 'legacy', version: isLegacyVersion(header) ? header : oldestLegacyVersion }
}
