import t from 'tap'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { DeadlinePassed } from '../../src/leases/deadline.ts'
import { failureFields } from '../../src/leases/log.ts'
import { leaseBench } from '../support/lease-bench.ts'

t.test('an expected failure is logged by code and message, with what is behind it and without a stack', async (t) => {
  const offline = new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1_000, cause: new Error('connection refused') })

  t.strictSame(failureFields(offline), { code: 'device_offline', reason: 'Device phone-1 does not answer.', behind: 'connection refused' })
  t.strictSame(failureFields(new DeadlinePassed(2_000)), { reason: 'No answer within 2000 ms.' })
})

t.test('an unexpected failure is logged whole', async (t) => {
  const fault = new TypeError('x is not a function')

  t.strictSame(failureFields(fault), { err: fault })
})

t.test('a device that does not answer, and one that cannot be cleaned in time, are logged that way', async (t) => {
  const { phone, acquire, leases, lines, time } = await leaseBench()
  const { handle, holder } = await acquire()
  const cleanup = phone.hold('restoreHome', { deaf: true })
  const released = leases.release({ handle, holder })
  await cleanup.begun
  time.advance(10_000)
  await released
  cleanup.finish()

  const other = await leaseBench()
  other.phone.boot = undefined
  await t.rejects(other.acquire(), { code: 'capacity_exhausted' })

  t.match(lines.find((line) => line.startsWith('device could not be cleaned')), /\{"device":"phone-1","failures":1,"reason":"No answer within 10000 ms."\}$/)
  t.match(other.lines.find((line) => line.startsWith('device does not answer')), /\{"device":"phone-1","code":"device_offline","reason":"Device phone-1 does not answer."\}$/)
})
