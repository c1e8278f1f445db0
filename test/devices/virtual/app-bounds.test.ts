/* eslint no-template-curly-in-string: off -- it is the notation of app files */
import t from 'tap'
import { parseApp } from '../../../src/devices/virtual/apps/load-apps.ts'
import { appFile } from './app-file.ts'
import { command, phoneBench, type PhoneBench } from './phone-bench.ts'

/** A phone with the tiny app in front, its first screen made of these lines. */
async function benchWith (...lines: readonly string[]): Promise<PhoneBench> {
  const bench = phoneBench({ apps: [parseApp(appFile(['', ...lines].join('\n')), 'tiny.yaml')] })
  await bench.launch('tiny')
  return bench
}

function logOf ({ phone }: PhoneBench): string[] {
  return phone.log().map(({ line }) => line)
}

t.test('a list has only so many items, and what is stored has only so much in it', async (t) => {
  const bench = await benchWith(
    '      - { role: button, text: Grow, tap: [push: { to: list, item: \'${list}\' }] }',
    '      - { role: text, id: length, text: \'${length(list)}\' }',
    '      - { role: button, text: Double, tap: [set: { text: \'${text}${text}\' }] }',
    '      - { role: text, id: text, text: \'${length(text)}\' }'
  )
  for (let round = 0; round < 30; round += 1) await bench.tapOn('Grow')
  for (let round = 0; round < 30; round += 1) await bench.tapOn('Double')

  t.ok(logOf(bench).includes('no room for another item in list'))
  t.equal((await bench.find('text')).text, '10000')
  t.ok(Number((await bench.find('length')).text) < 20)
})

t.test('items of any size can be removed', async (t) => {
  const bench = await benchWith(
    '      - { role: button, text: Fill, tap: [push: { to: list, item: \'${text}\' }] }',
    '      - { role: button, text: Double, tap: [set: { text: \'${text}${text}\' }] }',
    '      - { role: button, text: Clean, tap: [removeItem: { from: list, where: length(item) > 100 }] }',
    '      - { role: text, id: length, text: \'${length(list)}\' }'
  )
  for (let round = 0; round < 14; round += 1) await bench.tapOn('Double')
  for (let round = 0; round < 20; round += 1) await bench.tapOn('Fill')
  t.equal((await bench.find('length')).text, '22')

  await bench.tapOn('Clean')

  t.equal((await bench.find('length')).text, '2')
})

t.test('screens that open each other end after so many actions', async (t) => {
  const bench = await benchWith(
    '      - { role: button, text: Loop, tap: [goto: { screen: first, placed: replace }] }',
    '    enter:',
    '      - inc: { count: 1 }',
    '      - ifElse: { if: count > 1, then: [goto: { screen: first, placed: replace }] }'
  )
  await bench.tapOn('Loop')

  t.ok(logOf(bench).includes('stopped after 1000 actions in one event'))
  t.equal(await bench.isShown('Loop'), true)
})

t.test('a screen that reloads itself for ever does not hold up the next look', async (t) => {
  const bench = await benchWith(
    '      - { role: text, id: count, text: \'${count}\' }',
    '    enter:',
    '      - inc: { count: 1 }',
    '      - delay: { ms: 50, then: [goto: { screen: first, placed: replace }] }'
  )
  bench.time.advance(1_000)
  t.equal((await bench.find('count')).text, '21')

  bench.time.advance(24 * 3_600_000)

  t.ok(Number((await bench.find('count')).text) < 2_000)
})

t.test('the log keeps the last lines, none of them endless', async (t) => {
  const bench = await benchWith('      - { role: button, text: Log, tap: [{ inc: { count: 1 } }, { log: \'line ${count} ${text}\' }, { set: { text: \'${text}${text}\' } }] }')
  for (let round = 0; round < 15; round += 1) await bench.tapOn('Log')
  await bench.driver.tap({ x: 540, y: 372 }, { count: 600, holdMs: 0 }, command)

  const lines = logOf(bench)
  t.equal(lines.length, 500)
  t.match(lines.at(-1), /^line 615 /)
  t.equal(lines.at(-1)?.length, 1_000)
})

t.test('a screen has only so many elements', async (t) => {
  const bench = await benchWith('      - { role: column, repeat: { in: 500, as: outer }, content: [{ role: text, repeat: { in: 500, as: inner }, text: a }] }')
  t.ok((await bench.texts()).length > 10)
  t.ok(JSON.stringify(await bench.observe()).length < 2_000_000)
})
