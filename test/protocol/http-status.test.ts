import t from 'tap'
import { httpStatusOf } from '../../src/protocol/error-table.ts'
import { StorageFullRefusal } from '../../src/devices/device-state-refusals.ts'
import { LeaseEndedRefusal, LeasesUnavailableRefusal, PriorityNotAllowedRefusal, QueueFullRefusal, UnknownLeaseRefusal, DeviceUnknownRefusal } from '../../src/leases/contract/lease-refusals.ts'
import { Refusal, type RefusalKind } from '../../src/refusals/refusal.ts'

t.test('outside MCP, the kind of a refusal decides the HTTP status', (t) => {
  t.equal(httpStatusOf(new UnknownLeaseRefusal()), 404)
  t.equal(httpStatusOf(new DeviceUnknownRefusal('phone-9')), 404)
  t.equal(httpStatusOf(new LeasesUnavailableRefusal()), 503)
  t.equal(httpStatusOf(new LeaseEndedRefusal('phone-1', { reason: 'revoked', atMs: 0 })), 409)
  t.equal(httpStatusOf(new QueueFullRefusal({ limit: 3, of: 'all' })), 429)
  t.equal(httpStatusOf(new PriorityNotAllowedRefusal({ asked: 'high', highest: 'normal' })), 403)
  t.end()
})

t.test('HTTP-19: no refusal gets 429, which asks to come back, and says that the same call cannot succeed later', (t) => {
  const kinds: readonly RefusalKind[] = ['not_found', 'conflict', 'unavailable', 'limit', 'forbidden']
  for (const kind of kinds) t.not(httpStatusOf({ kind, retryable: false }), 429, kind)
  t.equal(httpStatusOf(new StorageFullRefusal({ path: 'a.txt', needed: 9, free: 3, filesLeft: 1 })), 409)
  t.end()
})

t.test('no refusal says both that the same call cannot succeed later and when to repeat it', (t) => {
  class Contradiction extends Refusal {
    readonly code = 'contradiction'

    constructor () {
      // @ts-expect-error -- The compiler holds every refusal to it.
      super({ message: 'No.', retryable: false, retryAfterMs: 1, nextAction: 'Go.' })
    }
  }
  t.ok(Contradiction)
  t.end()
})
