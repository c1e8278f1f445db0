import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

t.test('what stands far behind in a text is compared, found, waited for and told', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})
  const run = (name: string, args: object) => wire.call(name, { lease, ...args })
  await run('installApp', { observe: 'none', definition: '{ id: com.example.long, name: Long, version: \'1\', icon: L, color: \'#123456\', firstScreen: one, state: { text: \'\' }, screens: { one: { title: One, content: [{ role: field, id: text, bind: text, label: Text, multiline: true }] } } }' })
  await run('launchApp', { app: 'com.example.long', observe: 'none' })
  const long = 'word '.repeat(1_800)

  const first = await run('inputText', { text: long, into: { id: 'text' } })
  const second = await run('inputText', { text: 'the very end' })

  t.equal(first.structuredContent.changed, true)
  t.equal(second.structuredContent.changed, true)
  t.notMatch(second.content[0].text, 'Nothing on the screen changed')
  t.match(second.content[0].text, /The field holds "word .*"… now\./)
  t.match((await run('waitFor', { for: { text: 'the very end' }, timeoutMs: 0 })).structuredContent, { found: true })
  t.match((await run('waitFor', { for: { id: 'text' }, state: 'text', text: 'very end', timeoutMs: 0 })).structuredContent, { found: true })
  t.notOk((await run('tapOn', { target: { textMatches: 'very end$' } })).isError)
  const { content: [{ text }], structuredContent } = await run('observe', { detail: 'full' })
  t.match(text, `"${long}the very end"`)
  t.equal(structuredContent.elements.find(({ role }: { role: string }) => role === 'field').value, `${long}the very end`)
  t.match((await run('observe', { detail: 'raw' })).content[0].text, 'the very end')
})

t.test('a text that is too long to keep changes the screen where it is not kept, and says that it is cut', async (t) => {
  const { acquire, call, phone } = await toolBench()
  const lease = await acquire()
  const looks = []
  for (const end of ['one', 'two']) {
    phone.show(node('button', { text: `${'x'.repeat(30_000)}${end}` }))
    looks.push(await call('observe', { lease, detail: 'full' }))
  }

  t.match(looks.map(({ structuredContent: { rev } }) => rev), [1, 2])
  t.match(looks[1], { text: /x" 0,0,1080,100 cut\nwarning "The screen has more text than is kept/, structuredContent: { elements: [{ flags: ['cut'] }] } })
})

t.test('a name that was cut in an answer still finds its element', async (t) => {
  const { acquire, call, phone } = await toolBench()
  const lease = await acquire()
  const name = 'An article with quite a long name, as there are many. '.repeat(4).trim()
  phone.show(node('group', {}, [node('button', { text: name }), node('button', { text: 'Other' })]))
  const { structuredContent: { elements: [{ label }] } } = await call('observe', { lease })

  t.match(label, /…$/)
  t.match((await call('tapOn', { lease, target: { text: label }, observe: 'none' })).structuredContent, { ref: 'e1' })
})
