import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { registerTool } from '../../src/mcp/catalog/registered-tool.ts'
import { scriptedCaller } from '../support/asking.ts'
import { alice, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

async function setup () {
  const bench = await toolBench({ shows: node('text', { text: 'Hi' }) })
  const registered = bench.tools.map(registerTool)
  return { ...bench, registered, published: registered.map(({ published }) => published) }
}

t.test('the tools are these, in this order', async (t) => {
  t.same((await setup()).tools.map(({ name }) => name), [
    'listDevices', 'acquireDevice', 'acquireDevices', 'renewLease', 'releaseDevice', 'listLeases',
    'observe', 'captureScreenshot', 'waitFor', 'tapOn', 'pressButton', 'rotate', 'swipeOn',
    'inputText', 'clearText', 'listApps', 'launchApp', 'terminateApp', 'openLink', 'getDeviceState', 'setDeviceState',
    'installApp', 'uninstallApp', 'clearAppData', 'setPermission', 'getFiles', 'putFile', 'removeFile', 'recordScreen', 'resetDevice'
  ])
})

t.test('the first tool succeeds without arguments', async (t) => {
  const { tools } = await setup()
  const [first] = tools

  t.match(await first?.run(first.input.parse({}), { principal: alice, sessionKey: undefined, signal: new AbortController().signal, progress () {}, log () {}, noteDevice () {}, noteWait () {}, addAside () {}, ...scriptedCaller() }), { content: [{ type: 'text' }] })
})

t.test('POOL-01: every tool that is about a lease takes it as `lease`, which may be left out, and has no other way to a device', async (t) => {
  const { published } = await setup()
  const free = ['listDevices', 'acquireDevice', 'acquireDevices', 'listLeases']

  for (const { name, inputSchema } of published as any[]) {
    t.equal('lease' in inputSchema.properties, !free.includes(name), name)
    t.notOk(inputSchema.required?.includes('lease'), name)
    t.equal('device' in (inputSchema.properties ?? {}), name === 'acquireDevice', name)
  }
})

t.test('CALL-01, SCHEMA-04: every tool is published with a title, a description, a closed schema and all four hints', async (t) => {
  const { published } = await setup()

  for (const { name, title, description, inputSchema, annotations } of published as any[]) {
    t.ok(title.length > 0 && description.length > 20, name)
    t.match(inputSchema, { type: 'object', additionalProperties: false }, name)
    t.same(Object.keys(annotations).sort(), ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'], name)
    t.notMatch(JSON.stringify(inputSchema), '"$ref":"http', name)
  }
})

t.test('what reads is marked as reading, and only what may destroy as destructive', async (t) => {
  const { tools } = await setup()
  const having = (hint: 'readOnlyHint' | 'destructiveHint') => tools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name)

  t.same(having('readOnlyHint'), ['listDevices', 'listLeases', 'observe', 'captureScreenshot', 'waitFor', 'listApps', 'getDeviceState', 'getFiles'])
  t.same(having('destructiveHint'), [
    'releaseDevice', 'launchApp', 'installApp', 'uninstallApp', 'clearAppData', 'putFile', 'removeFile', 'resetDevice'
  ])
})

t.test('a selector is published two levels deep, the inner one without words; the check takes any depth', async (t) => {
  const { published, registered } = await setup()
  const { inputSchema } = (published as any[]).find(({ name }) => name === 'waitFor')
  const { within, ...outer } = inputSchema.properties.for.properties

  t.same(Object.keys(within.properties), Object.keys(outer))
  t.match(outer.text, { type: 'string', description: String })
  t.same(within.properties.text, { type: 'string' })
  t.notOk('$defs' in inputSchema)

  const waitFor = registered.find(({ name }) => name === 'waitFor')
  if (waitFor?.kind !== 'own') throw new Error('it is a tool of ours')
  t.match(waitFor.check.read({ for: { text: 'a', within: { text: 'b', within: { text: 'c', index: '3' } } } }), {
    ok: true, input: { for: { within: { within: { index: 3 } } } }
  })
})

t.test('a default is told in words, since some checkers refuse the keyword', async (t) => {
  const { published } = await setup()
  const { inputSchema: { properties } } = (published as any[]).find(({ name }) => name === 'observe')

  t.same(properties.max, { type: 'integer', minimum: 1, maximum: 500, description: 'Most elements; default 120' })
  t.same(properties.includeOffscreen, { type: 'boolean', description: 'Also what is scrolled out of sight' })
})

t.test('unknown arguments are refused, also inside a selector', async (t) => {
  const { tools } = await setup()

  for (const { name, input } of tools) t.equal(input.safeParse({ nonsense: 1 }).error?.issues.some(({ code }) => code === 'unrecognized_keys'), true, name)
  const observe = tools.find(({ name }) => name === 'observe')
  t.match(observe?.input.safeParse({ lease: 'x', within: { text: 'a', within: { name: 'b' } } }).error?.issues, [{ code: 'unrecognized_keys', path: ['within', 'within'] }])
})

t.test('numbers and booleans sent as strings are read, also where a schema refers to another', async (t) => {
  const { registered } = await setup()
  const read = (name: string, args: Record<string, unknown>) => {
    const tool = registered.find((one) => one.name === name)
    const result = tool?.kind === 'own' ? tool.check.read(args) : undefined
    return result?.ok === true ? result.input : result
  }

  t.match(read('tapOn', { lease: 'x', target: { text: '12', index: '3' }, count: '2', waitFor: { role: 'item', index: '1' } }), {
    target: { text: '12', index: 3 }, count: 2, waitFor: { index: 1 }
  })
  t.match(read('tapOn', { lease: 'x', target: { x: '0.5', y: '0.25', unit: 'ratio' } }), { target: { x: 0.5, y: 0.25 } })
  t.match(read('inputText', { lease: 'x', text: '42', clear: 'true' }), { text: '42', clear: true })
})

t.test('the whole list costs less than 9,000 tokens', async (t) => {
  const { published } = await setup()
  const list = JSON.stringify({ tools: published })

  t.ok(encodeCl100k(list).length < 9_000, `${encodeCl100k(list).length}`)
  t.ok(encodeO200k(list).length < 9_000, `${encodeO200k(list).length}`)
})
