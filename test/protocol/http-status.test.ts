import t from 'tap'
import { httpStatusOf } from '../../src/protocol/error-table.ts'
import { LeaseEndedRefusal, LeasesUnavailableRefusal, PriorityNotAllowedRefusal, QueueFullRefusal, UnknownLeaseRefusal, DeviceUnknownRefusal } from '../../src/leases/contract/lease-refusals.ts'

t.test('outside MCP, the kind of a refusal decides the HTTP status', (t) => {
  t.equal(httpStatusOf(new UnknownLeaseRefusal()), 404)
  t.equal(httpStatusOf(new DeviceUnknownRefusal('phone-9')), 404)
  t.equal(httpStatusOf(new LeasesUnavailableRefusal()), 503)
  t.equal(httpStatusOf(new LeaseEndedRefusal('phone-1', { reason: 'revoked', atMs: 0 })), 409)
  t.equal(httpStatusOf(new QueueFullRefusal({ limit: 3, of: 'all' })), 429)
  t.equal(httpStatusOf(new PriorityNotAllowedRefusal({ asked: 'high', highest: 'normal' })), 403)
  t.end()
})
