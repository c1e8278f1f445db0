import t from 'tap'
import { areOpposite } from '../../src/devices/screen/opposites.ts'
import { nearestNames } from '../../src/devices/screen/nearest-names.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

async function setup (...names: string[]) {
  const bench = await toolBench({ shows: node('group', {}, names.map((text, index) => node('button', { text, rect: [0, index * 100, 1000, 100] }))) })
  const lease = await bench.acquire()
  return { ...bench, tap: (target: object) => bench.call('tapOn', { lease, target, observe: 'none' }), wait: (args: object) => bench.call('waitFor', { lease, timeoutMs: 0, ...args }) }
}

const alike = [
  ['Don\'t allow', 'Don’t allow'], ['Don‘t allow', 'Don\'t allow'], ['Donʼt allow', 'Don’t allow'], ['Say "hello"', 'Say “hello”'], ['»Los«', '"Los"'],
  ['9:00 - 10:00', '9:00 – 10:00'], ['Wi-Fi', 'Wi‑Fi'], ['re—sume', 're-sume'], ['Loading...', 'Loading…'], ['10 km', '10\u00a0km'], ['1 000 €', '1\u202f000\u00a0€'], ['a b', 'a \n\tb'], ['❤️', '❤']
] as const

for (const [asked, shown] of alike) {
  t.test(`${JSON.stringify(asked)} is ${JSON.stringify(shown)}`, async (t) => {
    const { tap, wait } = await setup('Allow', shown)
    t.match((await tap({ text: asked })).structuredContent, { ref: 'e2' })
    const pattern = asked.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (!/[‘ʼ»—❤]/u.test(asked) && asked !== 'a b') t.match((await tap({ textMatches: `^${pattern}$` })).structuredContent, { ref: 'e2' })
    if (!asked.includes('❤')) t.match((await wait({ for: { ref: 'e2' }, state: 'text', text: asked })).structuredContent, { found: true })
  })
}

t.test('what is contained only in its opposite is not found', async (t) => {
  for (const [asked, shown] of [['Allow', 'Don’t allow'], ['Follow', 'Unfollow'], ['connected', 'Disconnected'], ['Lock', 'Unlock'], ['notes', 'No notes'], ['erlauben', 'Nicht erlauben'], ['允许', '不允许'], ['active', 'Inactive'], ['Allow', 'Do not allow']] as const) {
    const { tap } = await setup(shown)
    await t.rejects(tap({ text: asked }), { code: 'no_match' }, `${asked} in ${shown}`)
  }
  for (const [asked, shown] of [['side', 'Inside'], ['notes', 'No notes yet'], ['Allow', 'Allow once'], ['Don\'t', 'Don’t allow'], ['form', 'Information']] as const) {
    const { tap } = await setup(shown)
    t.match((await tap({ text: asked })).structuredContent, { ref: 'e1' }, `${asked} in ${shown}`)
  }
})

t.test('what is nearest never has the opposite first', (t) => {
  t.same(nearestNames('Do not permit', ['Allow', 'Permit', 'Don’t permit it'], 3), ['Don’t permit it', 'Permit', 'Allow'])
  t.same(nearestNames('Don\'t allow', ['Allow'], 3), [], 'nor alone')
  t.same(nearestNames('Allow it', ['Don’t allow', 'Settings'], 3), ['Settings', 'Don’t allow'])
  t.same(nearestNames('Turn on', ['Turn off', 'Tune'], 2), ['Tune', 'Turn off'])
  t.same(nearestNames('Save it', ['Save', 'Savings'], 2), ['Save', 'Savings'])
  t.notOk(areOpposite('Sign in', 'Sign in now'))
  t.ok(areOpposite('Sign in', 'Sign out'))
  t.end()
})
