import t from 'tap'
import type { Catalog, CatalogView, ViewChange } from '../../src/mcp/catalog/catalog.ts'
import { capabilitiesTelling, createView } from '../../src/mcp/catalog/create-view.ts'
import { mergeCatalogs } from '../../src/mcp/catalog/merge-catalogs.ts'
import { registerForeignTools } from '../../src/mcp/catalog/registered-tool.ts'
import { FramedResult } from '../../src/protocol/encode.ts'
import type { ForwardingTool, SchemaTool } from '../../src/tools/tool-definition.ts'
import { exchangeBench } from '../support/exchange-bench.ts'
import { localCatalog } from '../support/mcp-bench.ts'
import type { MemoryChannel } from '../support/memory-channel.ts'

const inputSchema = { type: 'object' }
const near: SchemaTool = { name: 'near', description: 'Works here.', inputSchema, run: async () => ({ content: [] }) }
const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } }
const oddResult = { content: [{ type: 'hologram', data: 1 }], isError: true, _meta: { 'example.com/a': 1 } }

/** A tool of another server: it asks, and then answers in a way that nobody here knows. */
const asking: ForwardingTool = {
  name: 'far_ask',
  published: { description: 'Asks first.', inputSchema, extra: true },
  asks: true,
  forward: async (_given, { inputResponses, requestState }) => inputResponses === undefined
    ? { kind: 'input_required', inputRequests: { sure: question }, requestState: 'theirs' }
    : { kind: 'complete', body: { ...oddResult, structuredContent: { inputResponses, requestState } } }
}

const plain = (name: string): ForwardingTool => ({
  name, published: { description: name, inputSchema }, forward: async () => ({ kind: 'complete', body: { content: [] } })
})

/** A catalog of another server's tools: what each principal is offered is its own, and comes after a wait. */
function farCatalog (offered: Record<string, readonly ForwardingTool[]>) {
  const dropped: string[] = []
  const listeners = new Set<(change: ViewChange) => void>()
  const views = new Map(Object.keys(offered).map((subject) => [subject, viewOf(subject)]))

  function viewOf (subject: string): CatalogView {
    return createView({
      tools: registerForeignTools(offered[subject] ?? [], (name, reason) => { dropped.push(`${name}: ${reason}`) }),
      resources: [],
      prompts: [],
      cache: { ttlMs: 5_000, scope: 'private' },
      capabilities: capabilitiesTelling(['tools'])
    })
  }

  const catalog: Catalog = {
    async view ({ principal: { subject } }) {
      const view = views.get(subject)
      if (view === undefined) throw new Error('nobody by that name')
      return view
    },
    watch (listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  }

  /** Looks again, as after word from the other server. */
  function refresh (subject: string): void {
    const [before, after] = [views.get(subject) ?? viewOf(subject), viewOf(subject)]
    views.set(subject, after)
    for (const listener of listeners) listener({ principal: { issuer: 'test', subject, key: `test\0${subject}` }, before, after })
  }
  return { catalog, dropped, refresh }
}

function setup () {
  const offered: Record<string, readonly ForwardingTool[]> = {
    ada: [asking, plain('far_ada'), plain('no/name')], bob: [asking, plain('far_ada'), plain('no/name')], eve: [plain('far_eve'), plain('near')]
  }
  const far = farCatalog(offered)
  const warnings: object[] = []
  const bench = exchangeBench({
    catalog: mergeCatalogs([localCatalog({ tools: [near] }), far.catalog], { log: { warn: (facts) => { warnings.push(facts) } } })
  })

  async function list (who: string): Promise<MemoryChannel> {
    const channel = bench.modern('tools/list', {}, { who })
    await channel.over
    return channel
  }
  async function names (who: string): Promise<readonly string[]> {
    return (await list(who)).answered.result.tools.map(({ name }: { name: string }) => name)
  }
  return { ...bench, ...far, offered, warnings, list, names }
}

t.test('two principals see different lists, each after what is offered to all, and neither the other\'s', async (t) => {
  const { names, list, modern, dropped, warnings } = setup()

  t.same(await names('ada'), ['near', 'far_ask', 'far_ada'])
  t.same(await names('eve'), ['near', 'far_eve'])
  t.match((await list('ada')).answered.result, { cacheScope: 'private', ttlMs: 5_000 })
  t.match(dropped, [/^no\/name: .*cannot be the name/, /^no\/name/], 'what may not be published is dropped with a reason')
  t.same(warnings, [{ name: 'near' }], 'and what an earlier catalog has already, too')

  const call = async (who: string, name: string) => {
    const channel = modern('tools/call', { name }, { who })
    await channel.over
    return channel.answered
  }
  t.match(await call('ada', 'far_ada'), { result: { content: [] } })
  t.match(await call('eve', 'far_ada'), { error: { code: -32602, message: /There is no tool "far_ada"/ } })
  t.match(await call('eve', 'near'), { result: { content: [] } })
})

t.test('views that are equal share the bytes of their lists', async (t) => {
  const { list } = setup()
  const bytes = async (who: string): Promise<Buffer | undefined> => {
    const { sent } = await list(who)
    return sent instanceof FramedResult ? sent.bytes : undefined
  }

  const ofAda = await bytes('ada')
  t.ok(ofAda instanceof Buffer)
  t.equal(await bytes('bob'), ofAda, 'the very same buffer')
  t.equal(await bytes('ada'), ofAda)
  t.not(await bytes('eve'), ofAda)
})

t.test('a forwarding tool passes questions, isError, _meta and unknown blocks on unchanged', async (t) => {
  const { modern } = setup()
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const asked = modern('tools/call', { name: 'far_ask' }, { meta })
  await asked.over
  t.strictSame(asked.answered.result.inputRequests, { sure: question })

  const inputResponses = { sure: { action: 'accept', content: {} } }
  const done = modern('tools/call', { name: 'far_ask', inputResponses, requestState: asked.answered.result.requestState }, { meta })
  await done.over

  t.match(done.answered.result, { ...oddResult, structuredContent: { inputResponses, requestState: 'theirs' } })
})

t.test('list-changed is told on a change, to the principal whose list it is, and only then', async (t) => {
  const { modern, refresh, offered, pass, names, mcp } = setup()
  const listen = async (who: string) => {
    const channel = modern('subscriptions/listen', { notifications: { toolsListChanged: true, promptsListChanged: true } }, { who })
    await channel.over
    return channel
  }
  const [ofAda, ofEve] = [await listen('ada'), await listen('eve')]
  t.same(ofAda.messages[0].params.notifications, { toolsListChanged: true }, 'prompts never change, so word of them is not promised')
  t.match((await discover(modern)).capabilities, { tools: { listChanged: true }, prompts: {} })

  refresh('ada')
  await pass(1_000)
  t.equal(ofAda.messages.length, 1, 'the same list again is no change')

  offered['ada'] = [plain('far_new')]
  refresh('ada')
  await pass(1_000)
  t.match(ofAda.messages.slice(1), [{ method: 'notifications/tools/list_changed' }])
  t.equal(ofEve.messages.length, 1)
  t.same(await names('ada'), ['near', 'far_new'])

  mcp.close()
  offered['ada'] = []
  refresh('ada')
  await pass(1_000)
  t.equal(ofAda.messages.length, 2)
})

async function discover (modern: ReturnType<typeof setup>['modern']): Promise<any> {
  const channel = modern('server/discover')
  await channel.over
  return channel.answered.result
}

t.test('a request keeps the view it began with', async (t) => {
  const { modern, offered, refresh, names } = setup()
  const asked = modern('tools/call', { name: 'far_ada' }, { who: 'ada' })
  offered['ada'] = []
  refresh('ada')
  await asked.over

  t.match(asked.answered, { result: { content: [] } })
  t.same(await names('ada'), ['near'])
})
