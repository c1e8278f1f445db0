import t from 'tap'
import type { UiNode } from '../../src/devices/device-types.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

/** A list that shows three of its rows at a time. */
function rows (first: number): UiNode {
  return node('group', {}, [
    node('text', { text: 'Head' }),
    node('list', { id: 'small', scrollable: true, rect: [0, 0, 1000, 100] }),
    node('list', { id: 'rows', scrollable: true, rect: [0, 400, 1000, 1000] }, [0, 1, 2].map((row) => node('item', { text: `Row ${first + row}` })))
  ])
}

async function setup () {
  const bench = await toolBench({ shows: rows(0) })
  const lease = await bench.acquire()
  let first = 0
  bench.phone.on('swipe', (did) => {
    const [, , fromY = 0, , toY = 0] = did.split(/[ ,]/).map(Number)
    first = Math.min(Math.max(first + Math.sign(fromY - toY) * 2, 0), 9)
    bench.phone.show(rows(first))
  })
  return { ...bench, lease, swipe: (args: object) => bench.call('swipeOn', { lease, ...args }) }
}

t.test('down shows what is further down: the finger goes up, in the middle of the largest list', async (t) => {
  const { phone, swipe } = await setup()
  const { text, structuredContent } = await swipe({ direction: 'down' })

  t.same(phone.did, ['swipe 500,1150 500,650 in 300'])
  t.match(text, /^Scrolled down\.\nrev 2, /)
  t.match(structuredContent, { swipes: 1, changed: true, screen: { rev: 2 } })
})

t.test('each direction moves the finger the other way, as far as asked for', async (t) => {
  const { phone, swipe } = await setup()

  await swipe({ direction: 'up', distance: 0.8, durationMs: 100, observe: 'none' })
  await swipe({ direction: 'right', distance: 0.2, observe: 'none' })
  await swipe({ direction: 'left', within: { id: 'small' }, observe: 'none' })

  t.same(phone.did, ['swipe 500,500 500,1300 in 100', 'swipe 600,900 400,900 in 300', 'swipe 250,50 750,50 in 300'])
})

t.test('without a list the whole screen is swiped', async (t) => {
  const { phone, swipe } = await setup()
  phone.show(node('text', { text: 'Photo' }))

  await swipe({ direction: 'down', observe: 'none' })

  t.same(phone.did, ['swipe 540,1800 540,600 in 300'])
})

t.test('from one point to another is a finger on the glass', async (t) => {
  const { phone, swipe } = await setup()

  t.match((await swipe({ from: { x: 10, y: 20 }, to: { x: 0.5, y: 0.5, unit: 'ratio' }, observe: 'none' })).text, 'Swiped from 10,20 to 540,1200.')
  t.same(phone.did, ['swipe 10,20 540,1200 in 300'])
})

t.test('a direction or two points, and what belongs to a direction only with one', async (t) => {
  const { swipe } = await setup()
  const point = { x: 1, y: 1 }

  for (const args of [{}, { from: point }, { direction: 'down', from: point, to: point }, { from: point, to: point, within: { text: 'a' } }, { from: point, to: point, untilVisible: { text: 'a' } }]) {
    await t.rejects(swipe(args), { name: 'ZodError' }, JSON.stringify(args))
  }
})

t.test('untilVisible goes on until the element is in sight', async (t) => {
  const { phone, swipe } = await setup()
  const { text, structuredContent } = await swipe({ direction: 'down', untilVisible: { text: 'Row 5' } })

  t.match(text, /^e\d+ item "Row 5" is in sight after 2 swipes down\.\nrev 3, /)
  t.match(structuredContent, { swipes: 2, ref: /^e\d+$/, screen: { rev: 3 } })
  t.equal(phone.did.length, 2)
  t.equal(phone.looks, 3)
})

t.test('untilVisible swipes not at all when the element is in sight', async (t) => {
  const { phone, swipe } = await setup()

  t.match((await swipe({ direction: 'down', untilVisible: { text: 'Row 1' } })).structuredContent, { swipes: 0 })
  t.same(phone.did, [])
})

t.test('untilVisible refuses when the end is reached, and when it has swiped often enough', async (t) => {
  const { swipe } = await setup()

  await t.rejects(swipe({ direction: 'down', untilVisible: { text: 'Row 99' } }), {
    code: 'no_match', message: /There is nothing further down\. \(6 swipes\)/, details: { swipes: 6 }
  })
  await t.rejects(swipe({ direction: 'up', untilVisible: { text: 'Row 99' }, maxSwipes: 1 }), {
    code: 'no_match', message: /not found on the way\. \(1 swipe\)/, details: { swipes: 1 }
  })
})

t.test('scrolling reports each swipe', async (t) => {
  const { call, lease } = await setup()
  const steps: number[] = []

  await call('swipeOn', { lease, direction: 'down', untilVisible: { text: 'Row 5' } }, { progress: ({ progress }) => { steps.push(progress) } })

  t.same(steps, [1, 2])
})

t.test('a caller that goes between two swipes stops the scrolling', async (t) => {
  const { call, lease, phone } = await setup()
  const caller = new AbortController()
  phone.on('observe', () => { if (phone.looks === 2) caller.abort() })

  await t.rejects(call('swipeOn', { lease, direction: 'down', untilVisible: { text: 'Row 9' } }, { signal: caller.signal }), { code: 'cancelled' })

  t.equal(phone.did.length, 1)
})

t.test('what should be scrolled has to be there', async (t) => {
  const { swipe, phone } = await setup()

  await t.rejects(swipe({ direction: 'down', within: { id: 'nothing' } }), { code: 'no_match' })
  t.same(phone.did, [])
})
