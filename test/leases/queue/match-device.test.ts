import fc from 'fast-check'
import t from 'tap'
import { matchesGlob, matchesSelector } from '../../../src/leases/queue/match-device.ts'
import { fakeDriver } from '../../support/fake-driver.ts'

const { description: device } = fakeDriver({ id: 'lab-1', model: 'Pixel 9 Pro', labels: ['lab', 'slow'] })

t.test('an empty selector matches any device', async (t) => {
  t.ok(matchesSelector(device, {}))
  t.ok(matchesSelector(device, { labels: [], withoutLabels: [] }))
})

t.test('every given member has to match', async (t) => {
  const all = { device: 'lab-1', platform: 'android', kind: 'virtual', model: 'pixel*', os: '>=14 <16', labels: ['slow'], withoutLabels: ['rack-2'] } as const
  t.ok(matchesSelector(device, all))

  t.notOk(matchesSelector(device, { ...all, device: 'lab-2' }))
  t.notOk(matchesSelector(device, { ...all, platform: 'ios' }))
  t.notOk(matchesSelector(device, { ...all, kind: 'real' }))
  t.notOk(matchesSelector(device, { ...all, model: 'Galaxy*' }))
  t.notOk(matchesSelector(device, { ...all, labels: ['slow', 'rack-2'] }))
  t.notOk(matchesSelector(device, { ...all, os: '16' }))
  t.notOk(matchesSelector(device, { ...all, os: 'any' }))
  t.notOk(matchesSelector(device, { ...all, withoutLabels: ['rack-2', 'lab'] }))
})

t.test('a model pattern covers the whole model, whatever the letter case', async (t) => {
  for (const pattern of ['Pixel 9 Pro', 'pixel*', '*PRO', '*9*', 'Pixel ? Pro', '*', '**', 'P*x*l*']) t.ok(matchesGlob(device.model, pattern), pattern)
  for (const pattern of ['Pixel', 'pixel ?', '?', '', 'Pixel 9 Pro ', '*x']) t.notOk(matchesGlob(device.model, pattern), pattern)
  t.ok(matchesGlob('', ''))
  t.ok(matchesGlob('', '*'))
  t.notOk(matchesGlob('', '?'))
})

t.test('a model pattern means what the regular expression made from it means', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 8 })

  fc.assert(fc.property(text, pattern, (text, pattern) => {
    const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')
    return matchesGlob(text, pattern) === new RegExp(`^${expression}$`).test(text)
  }), { numRuns: 2_000 })
})

t.test('a pattern that a regular expression would choke on is answered', { timeout: 2_000 }, async (t) => {
  t.notOk(matchesGlob('a'.repeat(2_000), `${'*a'.repeat(500)}b`))
})
