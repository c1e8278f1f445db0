import t from 'tap'
import { steadyTime } from '../../src/leases/steady-time.ts'
import { manualTime } from '../support/manual-time.ts'

t.test('steady time is wall time while nobody touches the clock', async (t) => {
  const time = manualTime()
  const nowMs = steadyTime(time.clock)

  for (const ms of [0, 1, 999, 86_400_000]) {
    time.advance(ms)
    t.equal(nowMs(), time.clock.nowMs())
  }
})

t.test('steady time goes forward with the wall clock', async (t) => {
  const time = manualTime()
  const nowMs = steadyTime(time.clock)
  nowMs()

  time.setWallClock(3_600_000)

  t.equal(nowMs(), time.clock.nowMs())
})

t.test('steady time does not go back with the wall clock, nor stand still', async (t) => {
  const time = manualTime()
  const nowMs = steadyTime(time.clock)
  const before = nowMs()

  time.setWallClock(-3_600_000)

  t.equal(nowMs(), before)
  time.advance(1_000)
  t.equal(nowMs(), before + 1_000)
})

t.test('steady time never runs back on clocks that do not tick together', async (t) => {
  let monotonicMs = 0.1
  const nowMs = steadyTime({ nowMs: () => Math.floor(1_000 + monotonicMs), monotonicMs: () => monotonicMs })
  let last = nowMs()
  for (let i = 0; i < 1_000; i++) {
    monotonicMs += 0.3
    const now = nowMs()
    if (now < last || Math.abs(now - (1_000 + monotonicMs)) > 1.5) t.fail(`${now} after ${last}`)
    last = now
  }
  t.ok(last > 1_250)
})
