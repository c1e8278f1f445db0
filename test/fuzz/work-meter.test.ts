import t from 'tap'
import { createWorkMeter } from './work-meter.ts'

const megabyte = 1024 * 1024

function setup () {
  const used = { ms: 0, bytes: 0, garbage: 0 }
  const meter = createWorkMeter({
    processorMs: () => used.ms,
    bytesInUse: () => used.bytes + used.garbage,
    collect () { used.garbage = 0 }
  })
  return { used, meter }
}

t.test('the longest piece of work is told, without the pieces measured inside it', async (t) => {
  const { used, meter } = setup()

  meter.measure('outer', () => {
    used.ms += 20
    meter.measure('inner', () => { used.ms += 90 })
    used.ms += 30
  })

  t.same(meter.longest(), { what: 'inner', ms: 90 })
})

t.test('work that takes longer than it may fails, whatever it returns', async (t) => {
  const { used, meter } = setup()
  meter.allow(250)

  t.equal(meter.measure('enough', () => { used.ms += 250; return 'done' }), 'done')
  t.throws(() => meter.measure('too much', () => { used.ms += 251; return 'done' }), { message: 'too much took 251 ms of processor time' })
})

t.test('turns of the loop are measured until the watch ends', async (t) => {
  const { used, meter } = setup()
  const turns = meter.watchTurns('a server')
  const turn = async (): Promise<void> => await new Promise((resolve) => { setImmediate(resolve) })

  await turn()
  used.ms += 400
  await turn()
  turns.end()
  used.ms += 900
  await turn()

  t.same(meter.longest(), { what: 'a server', ms: 400 })
})

t.test('memory grows by what stays after collecting, and garbage beyond the bound is no growth', async (t) => {
  const { used, meter } = setup()
  meter.settle()

  meter.measure('garbage', () => { used.garbage = 900 * megabyte })
  used.bytes = 40 * megabyte
  meter.settle()
  t.same(meter.growth(), { left: 40 * megabyte, peak: 0, peakAt: 'garbage' })

  meter.measure('a giant', () => { used.bytes = 500 * megabyte })
  t.same(meter.growth(), { left: 40 * megabyte, peak: 500 * megabyte, peakAt: 'a giant' })
})
