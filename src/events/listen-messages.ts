/**
 * The messages of a listen stream. Each carries the id of the listen request, in its own JSON
 * type, because a client may have several streams (SUB-03).
 */
import { modernResult, type Implementation } from '../protocol/encode-modern.ts'
import { encodeNotification } from '../protocol/encode.ts'
import type { RequestId } from '../protocol/rejection.ts'
import { wellFormedJson } from '../text/well-formed.ts'
import type { Change } from './event-bus.ts'
import { publishedFilter, type GrantedFilter } from './listen-filter.ts'

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'

/** The first message (SUB-02). */
export function acknowledgement (id: RequestId, granted: GrantedFilter): string {
  return encodeNotification('notifications/subscriptions/acknowledged', {
    notifications: publishedFilter(granted), _meta: { [subscriptionIdKey]: id }
  })
}

export function changeNotification (id: RequestId, change: Change): string {
  const _meta = { [subscriptionIdKey]: id }
  switch (change.type) {
    case 'list': return encodeNotification(`notifications/${change.list}/list_changed`, { _meta })
    case 'resource': return encodeNotification('notifications/resources/updated', { uri: change.uri, _meta })
  }
}

/** The response, which says that the stream ends on purpose (SUB-07). */
export function endOfStream (id: RequestId, serverInfo: Implementation): string {
  return wellFormedJson({ jsonrpc: '2.0', id, result: modernResult({ _meta: { [subscriptionIdKey]: id } }, serverInfo) })
}
