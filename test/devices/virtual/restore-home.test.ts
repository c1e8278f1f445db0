import fc from 'fast-check'
import t from 'tap'
import { keys, orientations } from '../../../src/devices/device-types.ts'
import { NoFocusedFieldRefusal } from '../../../src/devices/device-refusals.ts'
import type { VirtualPhone } from '../../../src/devices/virtual/phone/virtual-phone.ts'
import { asItWas, command, phoneBench, sampleApps, signIn, type PhoneBench } from './phone-bench.ts'

t.test('restoring the home state undoes what was changed, and says what that was', async (t) => {
  const bench = phoneBench()
  await signIn(bench)
  await bench.launch('kitchensink')
  await bench.tapOn('fields')
  await bench.tapOn('any_text')
  await bench.type('hello')
  await bench.driver.setOrientation('landscape', command)
  await bench.press('volume_up')

  const done = await bench.driver.restoreHome(command)

  t.same(done, [
    'stopped Field Notes', 'stopped Kitchen Sink', 'erased the data of Field Notes', 'went to the home screen', 'hid the keyboard',
    'removed a message', 'turned the screen upright', 'reset the volume', 'emptied the log'
  ])
  t.same(await bench.driver.restoreHome(command), [])
  await bench.launch('fieldnotes')
  t.match(await bench.observe(), { activity: 'signIn' })
})

t.test('a phone that was only looked at has nothing to restore', async (t) => {
  const bench = phoneBench()
  await bench.observe()
  await bench.driver.tap({ x: 540, y: 2_000 }, { count: 3, holdMs: 0 }, command)
  t.same(await bench.driver.restoreHome(command), [])
})

t.test('a locked phone comes back unlocked', async (t) => {
  const bench = phoneBench({ platform: 'ios' })
  await bench.press('power')
  t.same(await bench.driver.restoreHome(command), ['woke the screen', 'unlocked the screen'])
  t.match(await bench.observe(), { locked: false, app: null })
})

type Step = (bench: PhoneBench) => void

const point = fc.record({ x: fc.integer({ min: -50, max: 2_600 }), y: fc.integer({ min: -50, max: 2_600 }) })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(point, fc.constantFrom(0, 600)).map(([at, holdMs]) => ({ phone }: PhoneBench) => phone.tap(at, { count: 1, holdMs })) },
  { weight: 2, arbitrary: fc.tuple(point, point).map(([from, to]) => ({ phone }: PhoneBench) => phone.swipe(from, to, { durationMs: 200 })) },
  { weight: 2, arbitrary: fc.constantFrom(...keys).map((key) => ({ phone }: PhoneBench) => phone.pressKey(key, { count: 1, long: false })) },
  { weight: 2, arbitrary: fc.constantFrom(...sampleApps).map(({ id }) => ({ phone }: PhoneBench) => phone.launchApp(id, asItWas)) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => ({ phone }: PhoneBench) => typeIfPossible(phone, text)) },
  { weight: 1, arbitrary: fc.constantFrom(...orientations).map((orientation) => ({ phone }: PhoneBench) => phone.setOrientation(orientation)) },
  { weight: 1, arbitrary: fc.constantFrom('shop://product/p01', 'shop://cart').map((url) => ({ phone }: PhoneBench) => phone.openLink(url, {})) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5_000 }).map((ms) => ({ time }: PhoneBench) => time.advance(ms)) }
)

function typeIfPossible (phone: VirtualPhone, text: string): void {
  try {
    phone.typeText(text)
  } catch (error) {
    if (!(error instanceof NoFocusedFieldRefusal)) throw error
  }
}

t.test('whatever was done to it, a restored phone cannot be told from a fresh one', async (t) => {
  const holds = fc.property(fc.constantFrom('android' as const, 'ios' as const), fc.array(step, { maxLength: 40 }), (platform, steps) => {
    const used = phoneBench({ platform })
    for (const work of steps) work(used)
    const fresh = phoneBench({ platform, time: used.time })
    const wasDifferent = JSON.stringify(used.phone.look()) !== JSON.stringify(fresh.phone.look())

    const done = used.phone.restoreHome()

    used.time.advance(10_000)
    const looks = [used, fresh].map(({ phone }) => JSON.stringify([
      phone.look(), phone.log(), phone.listApps(), ...sampleApps.map(({ id }) => {
        phone.launchApp(id, asItWas)
        return phone.look()
      })
      // Its number is another one each time.
    ]).replaceAll(/\d{4}( \d{4}){3}/g, 'number'))
    return looks[0] === looks[1] && (!wasDifferent || done.length > 0)
  })

  t.doesNotThrow(() => fc.assert(holds, { numRuns: 150 }))
})
