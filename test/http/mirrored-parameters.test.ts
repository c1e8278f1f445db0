import type { OutgoingHttpHeaders } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { startToolApp } from '../support/start-tool-app.ts'

const mirrors = defineTool({
  name: 'mirrors',
  title: 'Mirrors',
  description: 'Mirrors a value of each kind',
  input: z.strictObject({
    target: z.strictObject({ row: z.int().optional().meta({ 'x-mcp-header': 'Row' }) }).optional(),
    region: z.string().optional().meta({ 'x-mcp-header': 'Region' }),
    dry: z.boolean().optional().meta({ 'x-mcp-header': 'Dry' })
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (input) => ({ content: [{ type: 'text', text: 'done' }], structuredContent: { ...input } })
})

async function setupMirrors (t: Test) {
  const { wire } = await startToolApp(t, [mirrors])
  /** Status and error code, or `undefined`, of one call. */
  return async (args: object, headers: Record<string, string | string[]>): Promise<[number, number | undefined]> => {
    const reply = await wire.modern('tools/call', { name: 'mirrors', arguments: args }, headers)
    return [reply.status, reply.json().error?.code]
  }
}

const served = [200, undefined]
const refused = [400, -32020]

t.test('HDR-08, SCHEMA-01: acquireDevice mirrors the platform and the device it names, no other tool anything', async (t) => {
  const test = await startTestApp(t)
  const wire = mcpWire({ port: test.port, token: await test.token() })
  const { tools } = (await wire.modern('tools/list')).json().result

  const marks = tools.flatMap(({ name, inputSchema }: any) => Object.entries<any>(inputSchema.properties)
    .filter(([, schema]) => 'x-mcp-header' in schema)
    .map(([property, schema]) => [name, property, schema['x-mcp-header'], schema.type]))
  t.same(marks, [['acquireDevice', 'device', 'Device', 'string'], ['acquireDevice', 'platform', 'Platform', 'string']])
  t.same([...JSON.stringify(tools).matchAll(/x-mcp-header/g)].length, 2)
})

t.test('HDR-11, VAL-17: a platform or device needs its header, and no phone is taken without it', async (t) => {
  const test = await startTestApp(t)
  const wire = mcpWire({ port: test.port, token: await test.token() })
  const acquire = async (args: object, headers: OutgoingHttpHeaders): Promise<any> => {
    const reply = await wire.modern('tools/call', { name: 'acquireDevice', arguments: args }, headers)
    return reply.status === 400 ? reply.json().error : reply.json().result
  }

  const wrong: Array<[object, OutgoingHttpHeaders]> = [
    [{ platform: 'ios' }, { 'mcp-param-platform': undefined }],
    [{ platform: 'ios' }, { 'mcp-param-platform': 'android' }],
    [{ platform: 'ios' }, { 'mcp-param-platform': 'iOS' }],
    [{ platform: 'ios' }, { 'mcp-param-platform': '' }],
    [{ platform: 'ios' }, { 'mcp-param-platform': ['ios', 'ios'] }],
    [{ platform: 'ios' }, { 'mcp-param-platform': '=?base64?aW9z' }],
    [{ platform: 'ios' }, { 'mcp-param-platform': '=?base64?aW9?=' }],
    [{ platform: 'ios' }, { 'mcp-param-platform': '\xefos' }],
    [{}, { 'mcp-param-platform': 'ios' }],
    [{ platform: null }, { 'mcp-param-platform': 'ios' }],
    [{ device: 'virtual-ios-1' }, { 'mcp-param-device': undefined }],
    [{ device: 'virtual-ios-1' }, { 'mcp-param-device': 'virtual-android-1' }],
    [{ device: 'virtual-ios-1', platform: 'ios' }, { 'mcp-param-device': undefined }]
  ]
  for (const [args, headers] of wrong) {
    t.match(await acquire(args, headers), { code: -32020, message: /Mcp-Param-(Platform|Device)/ }, JSON.stringify([args, headers]))
  }
  t.match(await wire.call('listLeases'), { structuredContent: { leases: [] } })

  t.match(await acquire({ platform: 'ios' }, { 'mcp-param-platform': ' ios ', 'mcp-param-unknown': 'x' }), { structuredContent: { device: { platform: 'ios' } } })
  t.match(await acquire({ device: 'virtual-android-1' }, { 'mcp-param-device': '=?base64?dmlydHVhbC1hbmRyb2lkLTE=?=' }), { structuredContent: { device: { id: 'virtual-android-1' } } })
})

t.test('a value of a kind that has no header is a mistake in the arguments, which the model can correct', async (t) => {
  const test = await startTestApp(t)
  const wire = mcpWire({ port: test.port, token: await test.token() })

  t.match(await wire.call('acquireDevice', { platform: ['ios'] }), { isError: true, structuredContent: { code: 'invalid_arguments', issues: [{ argument: 'platform' }] } })
})

t.test('HDR-14: in the legacy era mirrored headers mean nothing, right, wrong or missing', async (t) => {
  const test = await startTestApp(t, { flags: ['--devices-virtual-android', '4'] })
  const wire = mcpWire({ port: test.port, token: await test.token() })
  for (const headers of [{}, { 'mcp-param-platform': 'android' }, { 'mcp-param-platform': 'ios' }, { 'mcp-param-platform': '=?base64?!?=' }]) {
    for (const version of ['2025-11-25', '2025-03-26']) {
      const reply = await wire.legacy('tools/call', { name: 'listDevices', arguments: { platform: 'android' } }, { 'mcp-protocol-version': version, ...headers })
      t.match(reply.json(), { result: { content: [{ type: 'text' }] } })
    }
    const reply = await wire.legacy('tools/call', { name: 'acquireDevice', arguments: { platform: 'android' } }, headers)
    t.match(reply.json(), { result: { structuredContent: { device: { platform: 'android' } } } })
  }
})

t.test('D-05: integers are compared as numbers, in strict decimal alone', async (t) => {
  const call = await setupMirrors(t)
  const at = async (header: string, row: number) => await call({ target: { row } }, { 'mcp-param-row': header })

  for (const [header, row] of [['4', 4], ['4.0', 4], [' 4 ', 4], ['=?base64?NA==?=', 4], ['-4', -4], ['0', 0], ['9007199254740991', Number.MAX_SAFE_INTEGER]] as const) {
    t.same(await at(header, row), served, header)
  }
  for (const header of ['5', '0x4', '4e0', '04', '+4', '4.', '4.5', '', 'four', '=?base64?IDQ=?=', '=?base64?NA?=', '٤']) {
    t.same(await call({ target: { row: 4 } }, { 'mcp-param-row': Buffer.from(header).toString('latin1') }), refused, header)
  }
  t.same(await call({ target: { row: 4 } }, { 'mcp-param-row': ['4', '4'] }), refused, 'sent twice')
})

t.test('D-06: a header without its value is refused, and so is a value without its header', async (t) => {
  const call = await setupMirrors(t)

  for (const args of [{}, { target: {} }, { target: { row: null } }]) t.same(await call(args, { 'mcp-param-row': '4' }), refused, JSON.stringify(args))
  t.same(await call({ target: { row: 4 } }, {}), refused)
  t.same(await call({ row: 4 }, { 'mcp-param-row': '4' }), refused, 'the same name elsewhere is another value')
  t.same(await call({}, {}), served)
})

t.test('HDR-05, HDR-10: texts and booleans go as the rules say', async (t) => {
  const call = await setupMirrors(t)
  const wrapped = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`

  for (const region of ['Zürich-Nord', ' two', 'tab\there', '=?base64?abc?=', 'a\r\nb', '', 'eu-west']) {
    t.same(await call({ region }, { 'mcp-param-region': wrapped(region) }), served, JSON.stringify(region))
  }
  t.same(await call({ region: '' }, { 'mcp-param-region': '' }), served)
  t.same(await call({ region: '=?BASE64?QQ==?=' }, { 'mcp-param-region': '=?BASE64?QQ==?=' }), served, 'a literal')
  t.same(await call({ dry: true }, { 'mcp-param-dry': 'true' }), served)
  for (const header of ['false', 'True', '1']) t.same(await call({ dry: true }, { 'mcp-param-dry': header }), refused, header)
})

/** An official client in the modern era, and the parameter headers of the calls it made. */
async function setupClient (t: Test) {
  const calls: Array<Record<string, unknown>> = []
  const { url, token } = await startTestApp(t, {
    beforeRoutes: async (app) => {
      app.addHook('onRequest', async ({ headers }) => {
        if (headers['mcp-method'] === 'tools/call') calls.push({ device: headers['mcp-param-device'], platform: headers['mcp-param-platform'] })
      })
    }
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  t.teardown(async () => await client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${await token()}` } } }))
  return { client, calls }
}

t.test('HDR-10: the SDK client sends the headers once it has listed the tools', async (t) => {
  const { client, calls } = await setupClient(t)
  await client.listTools()

  t.match(await client.callTool({ name: 'acquireDevice', arguments: { platform: 'ios' } }), { structuredContent: { device: { platform: 'ios' } } })
  t.match(await client.callTool({ name: 'acquireDevice', arguments: { device: 'virtual-android-1' } }), { structuredContent: { device: { id: 'virtual-android-1' } } })

  t.same(calls, [{ device: undefined, platform: 'ios' }, { device: 'virtual-android-1', platform: undefined }])
})

t.test('HDR-12: a call of the SDK client before any list is refused, and recovers by itself', async (t) => {
  const { client, calls } = await setupClient(t)

  t.match(await client.callTool({ name: 'acquireDevice', arguments: { platform: 'ios' } }), { structuredContent: { device: { platform: 'ios' } } })

  t.same(calls, [{ device: undefined, platform: undefined }, { device: undefined, platform: 'ios' }])
})

t.test('a call that names neither needs no header from anybody', async (t) => {
  const { client, calls } = await setupClient(t)

  t.match(await client.callTool({ name: 'acquireDevice', arguments: {} }), { structuredContent: { lease: String } })

  t.equal(calls.length, 1)
})
