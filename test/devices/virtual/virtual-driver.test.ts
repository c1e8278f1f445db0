import t from 'tap'
import { asItWas, command, middleOf, phoneBench, sampleApps } from './phone-bench.ts'

t.test('a command takes as long as the latency says, and no longer', async (t) => {
  const bench = phoneBench({ faults: { latency: { fixedMs: 200 } } })
  let launched = false
  const launching = bench.driver.launchApp('com.example.shop', asItWas, command).then(() => { launched = true })

  bench.time.advance(199)
  await Promise.resolve()
  t.equal(launched, false)
  t.equal(bench.phone.look().app, null)
  bench.time.advance(1)
  await launching
  t.equal(bench.phone.look().app, 'com.example.shop')
})

t.test('jitter stays within its bounds and follows from the seed', async (t) => {
  async function durations (seed: number): Promise<number[]> {
    const bench = phoneBench({ faults: { seed, latency: { fixedMs: 100, jitterMs: 50 } } })
    const taken: number[] = []
    for (let count = 0; count < 20; count += 1) {
      const startMs = bench.time.clock.monotonicMs()
      const state = { isDone: false }
      const observing = bench.observe().then(() => { state.isDone = true })
      while (!state.isDone) {
        bench.time.advance(1)
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
      }
      await observing
      taken.push(bench.time.clock.monotonicMs() - startMs)
    }
    return taken
  }

  const first = await durations(7)

  t.ok(first.every((ms) => ms >= 100 && ms <= 150))
  t.ok(new Set(first).size > 5)
  t.same(await durations(7), first)
  t.notSame(await durations(8), first)
})

t.test('an aborted command ends at once and has changed nothing', async (t) => {
  const bench = phoneBench({ faults: { latency: { fixedMs: 1_000 } } })
  const caller = new AbortController()
  const launching = bench.driver.launchApp('com.example.shop', asItWas, { fence: 1, signal: caller.signal })

  caller.abort()

  await t.rejects(launching, { code: 'cancelled' })
  bench.time.advance(2_000)
  t.equal(bench.phone.look().app, null)
  await t.rejects(bench.driver.observe({ fence: 1, signal: caller.signal }), { code: 'cancelled' })
  await t.rejects(bench.driver.bootId(caller.signal), { code: 'cancelled' })
})

t.test('an aborted screenshot ends at once, and the next one is whole', async (t) => {
  const bench = phoneBench()
  const caller = new AbortController()
  const shooting = bench.driver.screenshot({ width: 360 }, { fence: 1, signal: caller.signal })
  caller.abort()
  await t.rejects(shooting, { code: 'cancelled' })
  t.match(await bench.driver.screenshot({ width: 360 }, command), { width: 360, height: 800 })
})

t.test('a phone that is offline refuses every command until it is back, again and again', async (t) => {
  const bench = phoneBench({ faults: { offline: { afterMs: 1_000, forMs: 500, everyMs: 2_000 } } })
  await bench.observe()

  bench.time.advance(1_200)
  await t.rejects(bench.observe(), { code: 'device_offline', retryable: true, retryAfterMs: 300 })
  await t.rejects(bench.driver.bootId(command.signal), { code: 'device_offline' })
  bench.time.advance(300)
  await bench.observe()
  bench.time.advance(1_500)
  await t.rejects(bench.observe(), { code: 'device_offline', retryAfterMs: 500 })
})

t.test('a command under way when the phone goes offline is refused and has changed nothing', async (t) => {
  const bench = phoneBench({ faults: { latency: { fixedMs: 100 }, offline: { afterMs: 50, forMs: 500 } } })
  const launching = bench.driver.launchApp('com.example.shop', asItWas, command)
  bench.time.advance(100)
  await t.rejects(launching, { code: 'device_offline' })
  t.equal(bench.phone.look().app, null)
})

t.test('a swallowed tap is acknowledged and does nothing', async (t) => {
  const bench = phoneBench({ faults: { swallowedTapPercent: 100 } })
  await bench.tapOn('Shop')
  t.match(await bench.observe(), { app: null })
})

t.test('a tap on which the app crashes ends it', async (t) => {
  const bench = phoneBench({ faults: { crashOnTapPercent: 100 } })
  await bench.launch('shop')
  await bench.tapOn('Compass')
  t.match(await bench.observe(), { app: null })
  t.equal(await bench.isShown('Shop has stopped'), true)
})

t.test('a stale observation shows the screen of the look before', async (t) => {
  const bench = phoneBench({ faults: { staleObservationPercent: 100 } })
  t.match(await bench.observe(), { app: null, warnings: [] })
  await bench.launch('shop')
  t.match(await bench.observe(), { app: null, warnings: [] })
  t.match(await bench.observe(), { app: 'com.example.shop' })
})

t.test('a screen that still moves is seen off its place, with a warning', async (t) => {
  const bench = phoneBench({ faults: { notIdlePercent: 100 } })
  await bench.launch('settings')
  const { warnings } = await bench.observe()
  t.match(warnings, [/still moving.*Observe again/])
  t.equal((await bench.find('network')).rect.x, 48 + 324)
  t.equal(middleOf(bench.phone.look().root.rect).x, 540)
})

t.test('rates strike about as often as they say, and the same way for the same seed', async (t) => {
  async function swallowed (seed: number): Promise<boolean[]> {
    const bench = phoneBench({ faults: { seed, swallowedTapPercent: 30 } })
    const struck: boolean[] = []
    for (let count = 0; count < 200; count += 1) {
      await bench.tapOn('Shop')
      struck.push((await bench.observe()).app === null)
      await bench.press('home')
    }
    return struck
  }

  const first = await swallowed(1)

  const share = first.filter(Boolean).length / first.length
  t.ok(share > 0.2 && share < 0.4, `${share}`)
  t.same(await swallowed(1), first)
  t.notSame(await swallowed(2), first)
})

t.test('no settings, no faults', async (t) => {
  const bench = phoneBench()
  for (const { id } of sampleApps) await bench.driver.launchApp(id, asItWas, command)
  t.equal(bench.time.clock.monotonicMs(), 0)
  t.same((await bench.observe()).warnings, [])
})

t.test('a restart makes another boot, stops everything and keeps the data of the apps', async (t) => {
  const bench = phoneBench()
  const before = await bench.driver.bootId(command.signal)
  t.equal(await bench.driver.bootId(command.signal), before)
  t.match(before, /^[0-9a-f]{32}$/)
  await bench.launch('shop')
  await bench.tapOn('Compass')
  await bench.tapOn('add_to_cart')

  bench.phone.restart()

  t.not(await bench.driver.bootId(command.signal), before)
  t.match(await bench.observe(), { app: null })
  await bench.launch('shop')
  t.equal(await bench.isShown('Cart (1)'), true)
})

t.test('a closed driver refuses what is under way and what comes later', async (t) => {
  const bench = phoneBench({ faults: { latency: { fixedMs: 1_000 } } })
  const observing = bench.observe()

  await bench.driver.close()

  await t.rejects(observing, { code: 'device_offline' })
  await t.rejects(bench.observe(), { code: 'device_offline' })
  await t.rejects(bench.driver.bootId(command.signal), { code: 'device_offline' })
  await bench.driver.close()
})
