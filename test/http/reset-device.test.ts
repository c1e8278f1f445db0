import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { startTestApp } from '../support/start-test-app.ts'

const info = { name: 'test', version: '1' }

/** What the user says, and what the user was asked. */
interface User {
  action: 'accept' | 'decline' | 'cancel'
  readonly asked: string[]
}

interface AnyClient {
  callTool (params: { name: string, arguments: Record<string, unknown> }): Promise<any>
}

function answer (user: User, { message }: { readonly message: string }) {
  user.asked.push(message)
  return { action: user.action, ...(user.action === 'accept' ? { content: { confirm: true } } : {}) }
}

async function connectV2 (t: Test, url: string, token: string, mode: 'legacy' | { pin: string }, user?: User): Promise<AnyClient> {
  const client = new ClientV2(info, { versionNegotiation: { mode }, capabilities: user === undefined ? {} : { elicitation: {} } })
  if (user !== undefined) client.setRequestHandler('elicitation/create', async ({ params }) => answer(user, params))
  t.teardown(async () => await client.close())
  await client.connect(new TransportV2(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
  return client
}

async function connectV1 (t: Test, url: string, token: string, user?: User): Promise<AnyClient> {
  const client = new ClientV1(info, { capabilities: user === undefined ? {} : { elicitation: {} } })
  if (user !== undefined) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(user, params))
  t.teardown(async () => await client.close())
  // Its own declarations leave no room for exactOptionalPropertyTypes.
  const transport = new TransportV1(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

const clients = {
  'the SDK client of the second generation, in the modern era': (t: Test, url: string, token: string, user?: User) => connectV2(t, url, token, { pin: '2026-07-28' }, user),
  'the same client in the legacy era': (t: Test, url: string, token: string, user?: User) => connectV2(t, url, token, 'legacy', user),
  'the SDK client of the first generation': connectV1
}

for (const [name, connect] of Object.entries(clients)) {
  t.test(`${name} asks its user before a phone is erased`, async (t) => {
    const { url, token } = await startTestApp(t)
    const user: User = { action: 'decline', asked: [] }
    const client = await connect(t, url, await token(), user)
    const { structuredContent: { lease } } = await client.callTool({ name: 'acquireDevice', arguments: { platform: 'android' } })
    await client.callTool({ name: 'launchApp', arguments: { lease, app: 'com.example.fieldnotes' } })
    const app = async (): Promise<string | null> => (await client.callTool({ name: 'observe', arguments: { lease } })).structuredContent.app
    const reset = () => client.callTool({ name: 'resetDevice', arguments: { lease } })

    t.match(await reset(), { isError: true, structuredContent: { code: 'not_confirmed' } })
    t.equal(await app(), 'com.example.fieldnotes')
    user.action = 'cancel'
    t.match(await reset(), { isError: true, structuredContent: { code: 'not_confirmed' } })
    t.equal(await app(), 'com.example.fieldnotes')
    user.action = 'accept'
    t.match(await reset(), { structuredContent: { device: 'virtual-android-1', cleaned: ['stopped Field Notes', 'went to the home screen'] } })
    t.equal(await app(), null)

    t.match(user.asked, [/virtual-android-1/, /virtual-android-1/, /virtual-android-1/], 'once for each call')
    t.match(await client.callTool({ name: 'releaseDevice', arguments: { lease } }), { structuredContent: { released: true } }, 'the lease was kept')
  })

  t.test(`${name} without anybody to ask has to say that it means it`, async (t) => {
    const { url, token } = await startTestApp(t)
    const client = await connect(t, url, await token())
    const { structuredContent: { lease } } = await client.callTool({ name: 'acquireDevice', arguments: {} })

    t.match(await client.callTool({ name: 'resetDevice', arguments: { lease } }), { isError: true, structuredContent: { code: 'confirmation_required', nextAction: /confirm: true/ } })
    t.notOk((await client.callTool({ name: 'resetDevice', arguments: { lease, confirm: true } })).isError)
  })
}

t.test('legacy.serverRequests off: a legacy client is not asked', async (t) => {
  const { url, token } = await startTestApp(t, { flags: ['--legacy-server-requests', 'off'] })
  const user: User = { action: 'accept', asked: [] }
  const client = await connectV1(t, url, await token(), user)
  const { structuredContent: { lease } } = await client.callTool({ name: 'acquireDevice', arguments: {} })

  t.match(await client.callTool({ name: 'resetDevice', arguments: { lease } }), { isError: true, structuredContent: { code: 'confirmation_required' } })
  t.same(user.asked, [])
})
