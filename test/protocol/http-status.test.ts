import t from 'tap'
import { httpStatusOf } from '../../src/protocol/error-table.ts'
import { LeaseEndedRefusal, LeasesUnavailableRefusal, UnknownLeaseRefusal, DeviceUnknownRefusal } from '../../src/leases/contract/lease-refusals.ts'

t.test('outside MCP, what is not there is 404, a server that is not ready 503, and the rest in the way', (t) => {
  t.equal(httpStatusOf(new UnknownLeaseRefusal()), 404)
  t.equal(httpStatusOf(new DeviceUnknownRefusal('phone-9')), 404)
  t.equal(httpStatusOf(new LeasesUnavailableRefusal()), 503)
  t.equal(httpStatusOf(new LeaseEndedRefusal('phone-1', { reason: 'revoked', atMs: 0 })), 409)
  t.end()
})
