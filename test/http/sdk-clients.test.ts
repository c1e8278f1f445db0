import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { startTestApp } from '../support/start-test-app.ts'
import { toldLists } from '../support/told-lists.ts'

const info = { name: 'test', version: '1' }

interface AnyClient {
  listTools (): Promise<{ tools: Array<{ name: string }> }>
  listResources (): Promise<{ resources: Array<{ uri: string }> }>
  listPrompts (): Promise<{ prompts: Array<{ name: string }> }>
  readResource (params: { uri: string }): Promise<unknown>
  getPrompt (params: { name: string, arguments: Record<string, string> }): Promise<unknown>
  callTool (params: { name: string, arguments: Record<string, unknown> }): Promise<any>
  complete (params: any): Promise<unknown>
}

async function drive (t: Test, client: AnyClient): Promise<void> {
  t.ok((await client.listTools()).tools.some(({ name }) => name === 'tapOn'))
  t.ok((await client.listResources()).resources.some(({ uri }) => uri === 'mooring://devices'))
  t.ok((await client.listPrompts()).prompts.length >= 2)
  t.match(await client.readResource({ uri: 'mooring://devices/virtual-ios-1' }), { contents: [{ mimeType: 'application/json' }] })
  t.match(await client.getPrompt({ name: 'exploreApp', arguments: { app: 'com.example.shop' } }), { messages: [{ role: 'user' }] })
  t.match(await client.complete({ ref: { type: 'ref/prompt', name: 'exploreApp' }, argument: { name: 'app', value: 'shop' } }), { completion: { values: ['com.example.shop'] } })

  const { structuredContent: { lease } } = await client.callTool({ name: 'acquireDevice', arguments: {} })
  t.match(await client.callTool({ name: 'observe', arguments: { lease } }), { content: [{ type: 'text', text: /Field Notes/ }] })
  const { content } = await client.callTool({ name: 'captureScreenshot', arguments: { lease } })
  t.match(content.find(({ type }: { type: string }) => type === 'image'), { mimeType: 'image/png', data: /^iVBOR/ })
  t.match(await client.readResource({ uri: `mooring://leases/${lease}/screen` }), { contents: [{ text: /Field Notes/ }] })
  t.match(await client.readResource({ uri: `mooring://leases/${lease}/screenshot` }), { contents: [{ mimeType: 'image/png', blob: /^iVBOR/ }] })
  t.match(await client.callTool({ name: 'releaseDevice', arguments: { lease } }), { structuredContent: { released: true } })
  t.match(await client.callTool({ name: 'observe', arguments: { lease } }), { isError: true, structuredContent: { code: 'lease_ended', retryable: false, nextAction: String } })
}

t.test('the SDK client of the second generation drives a phone, in the modern era, probing, and in the legacy one', async (t) => {
  const { url, token } = await startTestApp(t)
  const headers = { Authorization: `Bearer ${await token()}` }
  for (const [mode, version] of [[{ pin: '2026-07-28' }, '2026-07-28'], ['auto', '2026-07-28'], ['legacy', '2025-11-25']] as const) {
    const client = new ClientV2(info, { versionNegotiation: { mode } })
    t.teardown(async () => await client.close())
    await client.connect(new TransportV2(new URL(url), { requestInit: { headers } }))
    t.equal(client.getNegotiatedProtocolVersion(), version)
    await drive(t, client)
  }
})

t.test('the SDK client listens: it is acknowledged, hears of changes, closes a stream, and sees the server end one', async (t) => {
  const { app, url, token } = await startTestApp(t, { offer: toldLists })
  const client = new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  t.teardown(async () => await client.close())
  await client.connect(new TransportV2(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${await token()}` } } }))
  const heard: string[] = []
  let wake = (): void => {}
  const hear = (what: string): void => { heard.push(what); wake() }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear(params.uri))
  client.setNotificationHandler('notifications/tools/list_changed', () => hear('tools'))
  const hears = async (what: string): Promise<void> => {
    while (!heard.includes(what)) await new Promise<void>((resolve) => { wake = resolve })
  }

  const lists = await client.listen({ toolsListChanged: true })
  const resources = await client.listen({ resourceSubscriptions: ['mooring://devices', 'mooring://leases/ls_none/screen'] })
  t.same(lists.honoredFilter, { toolsListChanged: true })
  t.same(resources.honoredFilter, { resourceSubscriptions: ['mooring://devices'] })

  await client.callTool({ name: 'acquireDevice', arguments: {} })
  await hears('mooring://devices')
  app.bus.publish('global', { type: 'list', list: 'tools' })
  await hears('tools')

  await lists.close()
  t.equal(await lists.closed, 'local')
  await app.close()
  t.equal(await resources.closed, 'graceful')
})

t.test('the SDK client opens a stream by itself when it is told to keep its lists fresh', async (t) => {
  const { app, url, token } = await startTestApp(t, { offer: toldLists })
  let changed = (_error: unknown): void => {}
  const told = new Promise((resolve) => { changed = resolve })
  const client = new ClientV2(info, {
    versionNegotiation: { mode: { pin: '2026-07-28' } }, listChanged: { tools: { onChanged: changed, debounceMs: 0 } }
  })
  t.teardown(async () => await client.close())
  await client.connect(new TransportV2(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${await token()}` } } }))

  t.same(client.autoOpenedSubscription?.honoredFilter, { toolsListChanged: true })
  app.bus.publish('global', { type: 'list', list: 'tools' })

  t.equal(await told, null)
})

t.test('the SDK client of the first generation drives a phone', async (t) => {
  const { url, token } = await startTestApp(t)
  const client = new ClientV1(info)
  t.teardown(async () => await client.close())
  // Its own declarations leave no room for exactOptionalPropertyTypes.
  const transport = new TransportV1(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${await token()}` } } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  await drive(t, client)
})
