import fc from 'fast-check'
import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const blanks = [' ', '\n', '\t ', '\u00a0', '\u3000', '\u200b', '\u200e\u200f', '\u202e', '\u2066\u2069', '\ufeff', '\u00ad', '\u2060', '\u034f', '\u115f', '\u3164', '\u2800', '\ufe0f', '\u{e0020}', '\u2028', '\u0000']

t.test('a text of which nothing can be seen is refused in every selector of every tool', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})
  await wire.call('launchApp', { lease, app: 'com.example.shop', observe: 'none' })
  const before = (await wire.call('observe', { lease })).structuredContent

  for (const member of ['text', 'textMatches', 'id', 'desc']) {
    for (const blank of blanks) {
      const selector = { [member]: blank }
      const calls = [
        ['tapOn', { target: selector }], ['tapOn', { target: { text: 'Shop', within: selector } }], ['tapOn', { target: { text: 'Shop' }, waitFor: selector }],
        ['inputText', { text: 'a', into: selector }], ['clearText', { target: selector }], ['waitFor', { for: selector, timeoutMs: 0 }],
        ['swipeOn', { direction: 'down', untilVisible: selector }], ['swipeOn', { direction: 'down', within: selector }], ['observe', { within: selector }]
      ] as const
      const [name, args] = calls[blanks.indexOf(blank) % calls.length]!
      const { isError, structuredContent } = await wire.call(name, { lease, ...args })
      t.ok(isError, `${name} ${member} ${blanks.indexOf(blank)}`)
      t.match(structuredContent, { code: 'invalid_arguments' }, `${name} ${member} ${blanks.indexOf(blank)}`)
    }
  }
  t.match((await wire.call('waitFor', { lease, for: { text: 'Shop' }, state: 'text', text: ' \u200b' })).structuredContent, { code: 'invalid_arguments' })
  t.match((await wire.call('tapOn', { lease, target: { id: 'com.example.shop:id/' } })).structuredContent, { code: 'invalid_arguments' })
  t.same((await wire.call('observe', { lease })).structuredContent, before)
})

t.test('no text and no pattern finds an element that says nothing', async (t) => {
  const { acquire, call, phone } = await toolBench({ shows: node('group', {}, [node('img', { clickable: true }), node('button', { text: '\u200b' }), node('button', { description: ' ' })]) })
  const lease = await acquire()

  await fc.assert(fc.asyncProperty(fc.constantFrom('^$', '^\\s*$', '.*', 'a*', '(?:)', '\\b|'), async (textMatches) => {
    await call('tapOn', { lease, target: { textMatches } }).then(() => { throw new Error('tapped') }, (error) => { if (error.code !== 'no_match') throw error })
  }), { numRuns: 6 })
  t.same(phone.did, [])
})
