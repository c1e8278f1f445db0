import t from 'tap'
import { createLeaseTime } from '../../src/leases/lease-time.ts'
import { manualTime } from '../support/manual-time.ts'

function setup () {
  const time = manualTime(1_000_000)
  const lines: string[] = []
  const write = (fields: object, message: string) => { lines.push(`${message} ${JSON.stringify(fields)}`) }
  const steady = createLeaseTime({ ...time, log: { info: write, warn: write, error: write } })
  steady.start()
  return { time, steady, lines }
}

t.test('steady time is wall time while nobody touches the clock', async (t) => {
  const { time, steady } = setup()

  for (const ms of [0, 1, 999, 86_400_000]) {
    time.advance(ms)
    t.equal(steady.nowMs(), time.clock.nowMs())
    t.equal(steady.shownMs(5), 5)
  }
})

t.test('a wall clock that jumps moves what is shown, and nothing else', async (t) => {
  for (const byMs of [3_600_000, -3_600_000]) {
    const { time, steady, lines } = setup()
    const before = steady.nowMs()

    time.setWallClock(byMs)

    t.equal(steady.nowMs(), before)
    t.equal(steady.shownMs(before + 5), time.clock.nowMs() + 5)
    time.advance(1_000)
    t.equal(steady.nowMs(), before + 1_000)
    t.strictSame(lines, [])
  }
})

t.test('steady time stands still while the process is stalled, whoever notices first', async (t) => {
  for (const notice of ['reader', 'heartbeat']) {
    const { time, steady, lines } = setup()
    time.advance(10_500)
    const before = steady.nowMs()

    time.stall(60_000)
    if (notice === 'heartbeat') time.advance(0)

    t.equal(steady.nowMs(), before + 500, 'up to the heartbeat that did not come')
    t.equal(steady.shownMs(before), before + 59_500, 'what is still to come comes later')
    t.match(lines, [/stalled.*59500/])
    time.advance(1_000)
    t.equal(steady.nowMs(), before + 1_500)
  }
})

t.test('a heartbeat that is up to two seconds late is no stall', async (t) => {
  const { time, steady, lines } = setup()
  time.advance(10_000)
  const before = steady.nowMs()

  time.stall(3_000)

  t.equal(steady.nowMs(), before + 3_000)
  t.strictSame(lines, [])
})

t.test('a stall is not counted from before the last time somebody looked', async (t) => {
  const { time, steady } = setup()
  time.advance(10_000)
  time.stall(2_900)
  const before = steady.nowMs()

  time.stall(10_000)

  t.equal(steady.nowMs(), before)
})

t.test('steady time never runs back on clocks that do not tick together', async (t) => {
  let monotonicMs = 0.1
  const { scheduler } = manualTime()
  const log = { info () {}, warn () {}, error () {} }
  const steady = createLeaseTime({ clock: { nowMs: () => Math.floor(1_000 + monotonicMs), monotonicMs: () => monotonicMs }, scheduler, log })
  let last = steady.nowMs()
  for (let i = 0; i < 1_000; i++) {
    monotonicMs += 0.3
    const now = steady.nowMs()
    if (now < last || Math.abs(now - (1_000 + monotonicMs)) > 1.5) t.fail(`${now} after ${last}`)
    if (steady.shownMs(i) !== i) t.fail('what is shown flickers')
    last = now
  }
  t.ok(last > 1_250)
})
