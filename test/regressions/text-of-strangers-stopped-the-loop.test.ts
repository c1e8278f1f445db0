/* eslint no-template-curly-in-string: off -- it is the notation of app files */
import fc from 'fast-check'
import t from 'tap'
import { parseLinkPattern } from '../../src/devices/virtual/apps/link-pattern.ts'
import { parseApp } from '../../src/devices/virtual/apps/load-apps.ts'
import { createExchange } from '../../src/devices/virtual/exchange.ts'
import { androidProfile } from '../../src/devices/virtual/phone/phone-profile.ts'
import { createVirtualPhone } from '../../src/devices/virtual/phone/virtual-phone.ts'
import { manualTime } from '../support/manual-time.ts'

// Far more than it takes, and far less than what went on for ever.
const longestMs = 2_000

/** Processor time, which passes for our own work only. */
function usedMs (work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function appOf (content: readonly unknown[], more: object = {}): string {
  return JSON.stringify({
    id: 'com.example.evil',
    name: 'Evil',
    version: '1',
    icon: 'E',
    color: '#112233',
    firstScreen: 'first',
    state: { text: 'x'.repeat(5_000), list: Array.from({ length: 500 }, () => ({ a: 'y' })), count: 0 },
    screens: { first: { title: 'First', content, ...more } }
  })
}

function phoneWith (text: string) {
  const time = manualTime(0)
  const app = parseApp(text, 'evil.yaml')
  const ids = { bytes: (size: number) => Buffer.alloc(size) }
  const phone = createVirtualPhone({ profile: androidProfile, apps: [app], clock: time.clock, ids, exchange: createExchange(ids) })
  return { time, phone, launch: () => phone.launchApp(app.id, { clearData: false, restart: false }) }
}

t.test('a link with several captures in one segment is matched in no time', (t) => {
  const captures = '{a}{b}{c}{d}{e}{f}{g}{h}'
  t.ok(usedMs(() => { parseLinkPattern(`x://${captures}!`)?.match(`x://${'a'.repeat(2_000)}`) }) < longestMs)
  t.equal(parseLinkPattern(`x://${'{a}'.repeat(9)}`), undefined, 'and there are only so many of them')
  t.end()
})

t.test('a link is matched as a regular expression would', (t) => {
  const part = fc.constantFrom('{a}', '{b}', 'a', 'b', '/', '-', 'A', 'ab')
  fc.assert(fc.property(fc.array(part, { maxLength: 6 }), fc.array(fc.constantFrom('a', 'b', '/', '-', 'AB', '?', '#', 'é'), { maxLength: 8 }), (parts, url) => {
    const source = `x://${parts.join('')}`
    const expression = new RegExp(`^x://${parts.join('').replace(/\/$/, '').replace(/\{.\}/g, '([^/?#]+)')}/?(?:[?#].*)?$`, 'is')
    const found = expression.exec(`x://${url.join('')}`)
    const names = [...source.matchAll(/\{(.)\}/g)].map(([, name]) => name ?? '')
    const expected = found === null ? undefined : Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? '']))
    return JSON.stringify(parseLinkPattern(source)?.match(`x://${url.join('')}`)) === JSON.stringify(expected)
  }), { numRuns: 2_000 })
  t.end()
})

t.test('an app file of misfits is refused with a few of them and their number', (t) => {
  const misfits = Array.from({ length: 200 }, () => ({ role: 'column', content: Array.from({ length: 10 }, () => ({ role: 'text', text: '${missing}' })) }))
  const state = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`name${at}`, 0]))
  const text = appOf(misfits).replace('"state":{', `"data":${JSON.stringify(state)},"state":{`)
  let message = ''
  t.ok(usedMs(() => { try { parseApp(text, 'evil.yaml') } catch (error) { message = String(error) } }) < longestMs)
  t.match(message, /no name "missing" here .* and \d+ more\)/)
  t.match(message, /… and 1980 more/)
  t.ok(message.length < 20_000)
  t.end()
})

t.test('aliases, deep nesting and keys by the thousand are refused before they cost anything', (t) => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]', ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 9 }, () => `*a${at}`).join(', ')}]`)].join('\n')
  for (const text of [bomb, '['.repeat(60_000), '{a: '.repeat(15_000), '- '.repeat(30_000), Array.from({ length: 12_000 }, (_, at) => `k${at}:`).join('\n')]) {
    t.ok(usedMs(() => { t.throws(() => parseApp(text, 'evil.yaml', { allowsAliases: false }), { code: 'app_file_invalid' }) }) < longestMs, text.slice(0, 20))
  }
  t.throws(() => parseApp('a: &a 1\nb: *a', 'x.yaml', { allowsAliases: false }), { message: /an alias \(\*a\) at line 2: write it out/ })
  t.throws(() => parseApp('a: 1\na: 2', 'x.yaml'), { message: /the key "a" stands twice/ })
  t.end()
})

t.test('an app cannot make its screens or its data large, nor a look at it last', (t) => {
  const long = '${text}${text}'.repeat(100)
  const { phone, launch } = phoneWith(appOf([{ role: 'item', text: long, detail: long, repeat: { in: '500', as: 'item' } }]))
  t.ok(usedMs(() => { launch(); phone.look() }) < longestMs)
  t.ok(JSON.stringify(phone.look()).length < 2_000_000)

  const slow = phoneWith(appOf([{ role: 'text', repeat: { in: 'list', as: 'one' }, text: '${countMatches(list, \'a\', text) + countMatches(list, \'a\', text) + countMatches(list, \'a\', text)}' }]))
  t.ok(usedMs(() => { slow.launch(); slow.phone.look() }) < longestMs)
  t.end()
})

t.test('timers that set off each other for hours do not make one look last, recorded or not', (t) => {
  for (const records of [false, true]) {
    const again = { delay: { ms: 50, then: [{ forEach: { in: 'list', where: 'contains(text, item.a)', do: [{ set: { text: '${text}${text}' } }] } }, { inc: { count: 1 } }, { goto: { screen: 'first', placed: 'replace' } }] } }
    const { phone, launch, time } = phoneWith(appOf([{ role: 'text', text: '${text}', repeat: { in: '500', as: 'item' } }], { enter: [again] }))
    launch()
    if (records) phone.startRecording(600_000)
    time.advance(24 * 3_600_000)
    t.ok(usedMs(() => { phone.look() }) < longestMs)
  }
  t.end()
})

t.test('all variables of an app together have one bound', (t) => {
  const names = Array.from({ length: 200 }, (_, at) => `v${at}`)
  const { phone, launch } = phoneWith(appOf([
    ...names.map((name) => ({ role: 'text', id: name.replace('v', 'n'), text: `\${length(${name})}` })).slice(0, 150)
  ], { enter: names.map((name) => ({ set: { [name]: '${text}${text}' } })).slice(0, 50) }).replace('"state":{', `"state":{${names.map((name) => `"${name}":""`).join(',')},`))
  launch()
  for (let round = 0; round < 3; round += 1) launch()

  const big = phoneWith(appOf([{ role: 'text', text: 'x' }], { enter: Array.from({ length: 50 }, () => ({ push: { to: 'list', item: '${list}' } })) }).replace('"a":"y"', `"a":"${'y'.repeat(100)}"`))
  big.launch()
  t.ok(phone.log().length > 0)
  t.ok(big.phone.log().some(({ line }) => /no room|too large/.test(line)))
  t.end()
})
