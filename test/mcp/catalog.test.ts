import t from 'tap'
import { announceChanges } from '../../src/mcp/catalog/announce-changes.ts'
import { toldLists, type Caller, type Catalog, type CatalogView, type ViewChange } from '../../src/mcp/catalog/catalog.ts'
import { capabilitiesTelling, createView } from '../../src/mcp/catalog/create-view.ts'
import { createListPages } from '../../src/mcp/catalog/list-pages.ts'
import { mergeCatalogs } from '../../src/mcp/catalog/merge-catalogs.ts'
import { registerForeignTools } from '../../src/mcp/catalog/registered-tool.ts'
import { registerResource } from '../../src/mcp/catalog/registered-resource.ts'
import { restrictCatalog, type Policy } from '../../src/mcp/catalog/restrict-catalog.ts'
import { createEncoder } from '../../src/protocol/encode.ts'
import { createEventBus, principalTopic } from '../../src/events/event-bus.ts'
import type { Result } from '../../src/protocol/result.ts'
import type { ForwardingTool, SchemaTool } from '../../src/tools/tool-definition.ts'
import { localCatalog, mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest, principal } from '../support/mcp-request.ts'

const inputSchema = { type: 'object' }
const ada: Caller = { principal: principal('ada') }
const eve: Caller = { principal: principal('eve') }

const tool = (name: string, description = name): SchemaTool => ({ name, description, inputSchema, run: async () => ({ content: [{ type: 'text', text: description }] }) })

const forwarding = (name: string, published: object = {}): ForwardingTool => ({
  name, published: { description: name, inputSchema, ...published }, forward: async () => ({ kind: 'complete', body: { content: [] } })
})

function viewOf (names: readonly string[], more: Partial<Parameters<typeof createView>[0]> = {}): CatalogView {
  return createView({
    tools: registerForeignTools(names.map((name) => forwarding(name)), () => { throw new Error('all may be published') }),
    resources: [],
    prompts: [],
    cache: { ttlMs: 60_000, scope: 'public' },
    capabilities: capabilitiesTelling([]),
    ...more
  })
}

const namesOf = ({ tools }: CatalogView): readonly string[] => tools.entries.map(({ name }) => name)

function mergeBench (...catalogs: readonly [Catalog, ...Catalog[]]) {
  const warnings: object[] = []
  return { warnings, merged: mergeCatalogs(catalogs, { log: { warn: (facts) => { warnings.push(facts) } } }) }
}

t.test('LIST-02, POOL-02: the local catalog has one frozen view, at once and for every caller', (t) => {
  const catalog = localCatalog({ tools: [tool('a')] })
  const view = catalog.view(ada)

  t.equal(view, catalog.view(eve))
  t.notOk(view instanceof Promise)
  t.match(view, { cache: { scope: 'public', ttlMs: 300_000 } })
  t.ok(Object.isFrozen(view) && Object.isFrozen((view as CatalogView).tools))
  t.equal(catalog.watch, undefined, 'it never changes')
  t.end()
})

t.test('a revision names what is published, and nothing else', (t) => {
  const revision = (...tools: readonly SchemaTool[]) => (localCatalog({ tools }).view(ada) as CatalogView).tools.revision

  t.equal(revision(tool('a'), tool('b')), revision(tool('a'), tool('b')))
  t.not(revision(tool('a'), tool('b')), revision(tool('b'), tool('a')), 'the order is published')
  t.not(revision(tool('a')), revision(tool('a', 'other words')))
  t.end()
})

t.test('HDR-09, GW-07, D-25, D-29: a tool of another server that may not be published is dropped with the reason, and the rest stay', (t) => {
  const dropped: Record<string, string> = {}
  const registered = registerForeignTools([
    forwarding('good'),
    forwarding('no/name'),
    forwarding('x'.repeat(65)),
    forwarding('noSchema', { inputSchema: undefined }),
    forwarding('noObject', { inputSchema: { type: 'string' } }),
    forwarding('fetches', { inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } }),
    forwarding('draft4', { inputSchema: { type: 'object', properties: { a: { type: 'number', minimum: 1, exclusiveMinimum: true } } } }),
    forwarding('mirrors', { inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } }),
    forwarding('badOutput', { outputSchema: 'none' }),
    forwarding('alsoGood', { outputSchema: { type: 'array' } })
  ], (name, reason) => { dropped[name.slice(0, 10)] = reason })

  t.same(registered.map(({ name }) => name), ['good', 'alsoGood'])
  t.match(dropped, {
    'no/name': /cannot be the name/,
    xxxxxxxxxx: /cannot be the name/,
    noSchema: /inputSchema must be an object/,
    noObject: /type "object"/,
    fetches: /never fetched/,
    draft4: /no valid JSON Schema/,
    mirrors: /x-mcp-header/,
    badOutput: /outputSchema must be an object/
  })
  t.end()
})

t.test('GW-08, META-07: members that are not known here are published as they came, under the name that counts here', async (t) => {
  const [registered] = registerForeignTools([forwarding('far_tool', {
    name: 'tool', title: 'A tool', icons: [{ src: 'https://example.com/i.png' }], _meta: { 'example.com/x': 1 }, extra: { deep: [1] }
  })], () => {})

  t.strictSame(registered?.published, {
    description: 'far_tool',
    inputSchema,
    name: 'far_tool',
    title: 'A tool',
    icons: [{ src: 'https://example.com/i.png' }],
    _meta: { 'example.com/x': 1 },
    extra: { deep: [1] }
  })
})

t.test('LIST-03, GW-10, GW-11: merged lists follow each other, with the hints that hold for all parts', (t) => {
  const far = viewOf(['far_x', 'far_a'], { cache: { ttlMs: 5_000, scope: 'private' }, capabilities: capabilitiesTelling(['tools']) })
  const { merged } = mergeBench(localCatalog({ tools: [tool('b'), tool('a')], tells: ['resources'] }), { view: () => far })
  const view = merged.view(ada) as CatalogView

  t.same(namesOf(view), ['b', 'a', 'far_x', 'far_a'])
  t.same(view.cache, { ttlMs: 5_000, scope: 'private' })
  t.same(toldLists(view.capabilities), ['tools', 'resources'])
  t.equal(merged.view(eve), view, 'what was merged once is not merged again')
  t.end()
})

t.test('GW-06: a name belongs to the first catalog that has it, and the log says what was left out', (t) => {
  const { merged, warnings } = mergeBench(localCatalog({ tools: [tool('a')] }), { view: () => far })
  const far = viewOf(['a', 'b'])
  const view = merged.view(ada) as CatalogView
  merged.view(eve)

  t.same(namesOf(view), ['a', 'b'])
  t.equal(view.tools.find('a')?.kind, 'own')
  t.equal(view.tools.find('b')?.kind, 'forwarding')
  t.same(warnings, [{ name: 'a' }], 'and says it once')
  t.end()
})

t.test('a merged view is at hand where all its parts are, and waited for where one has to be', async (t) => {
  const far = viewOf(['far'])
  const local = localCatalog({ tools: [tool('near')] })

  t.notOk(mergeBench(local, { view: () => far }).merged.view(ada) instanceof Promise)
  const view = mergeBench(local, { view: async () => far }).merged.view(ada)
  t.ok(view instanceof Promise)
  t.same(namesOf(await view), ['near', 'far'])
})

t.test('GW-10: a catalog that fails is left out for this time, and its absence is not kept for long', async (t) => {
  const local = localCatalog({ tools: [tool('near')] })
  for (const failing of [() => { throw new Error('down') }, async () => { throw new Error('down') }]) {
    const { merged, warnings } = mergeBench(local, { view: failing })
    const view = await merged.view(ada)

    t.same(namesOf(view), ['near'])
    t.same(view.cache, { ttlMs: 5_000, scope: 'public' })
    t.match(warnings, [{ err: { message: 'down' } }])
  }
})

const byName: Policy = { groupOf: ({ principal: { subject } }) => subject === 'ada' ? 'staff' : 'guest', allows: (group, { name }) => group === 'staff' || !name.startsWith('secret') }

t.test('CACHE-04: a policy takes away, and its views are private even where it took nothing', async (t) => {
  const { catalog: restricted } = { catalog: restrictCatalog(localCatalog({ tools: [tool('a'), tool('secretB')] }), byName) }
  const [staff, guest] = [await restricted.view(ada), await restricted.view(eve)]

  t.same([namesOf(staff), namesOf(guest)], [['a', 'secretB'], ['a']])
  t.same([staff.cache.scope, guest.cache.scope], ['private', 'private'])
  t.equal(await restricted.view({ principal: principal('mallory') }), guest, 'callers of one group share a view')

  const { answer } = mcpBench({ catalog: restricted })
  t.match(await answer(mcpRequest('tools/call', { name: 'secretB' }, ada)), { content: [{ text: 'secretB' }] })
  t.same(
    await answer(mcpRequest('tools/call', { name: 'secretB' }, eve)), await answer(mcpRequest('tools/call', { name: 'secretB' }, { principal: principal('bob') }))
  )
  t.match(await answer(mcpRequest('tools/call', { name: 'secretB' }, eve)), { code: -32602, message: /There is no tool "secretB"/ }, 'as if it did not exist')
})

t.test('resources and prompts are restricted alike, in lists, reads and completion', async (t) => {
  const secret = {
    uriTemplate: 'test://secret/{id}',
    name: 's',
    title: 'S',
    description: 'S',
    mimeType: 'text/plain',
    list: async () => [{ uri: 'test://secret/1', name: 's', title: 'S', description: 'S', mimeType: 'text/plain' }],
    read: async () => ({ mimeType: 'text/plain', text: 'x' }),
    topicOf: async () => 'global' as const
  }
  const prompt = { name: 'secretPrompt', title: 'P', description: 'P', arguments: [], content: () => 'p' }
  const policy: Policy = { groupOf: ({ principal: { subject } }) => subject, allows: (subject, { kind }) => subject === 'ada' || kind === 'tool' }
  const { answer } = mcpBench({ catalog: restrictCatalog(localCatalog({ resources: [secret], prompts: [prompt] }), policy) })

  for (const [caller, count, code] of [[ada, 1, undefined], [eve, 0, -32602]] as const) {
    t.equal((await answer(mcpRequest('resources/list', {}, caller))).resources.length, count)
    t.equal((await answer(mcpRequest('resources/templates/list', {}, caller))).resourceTemplates.length, count)
    t.equal((await answer(mcpRequest('prompts/list', {}, caller))).prompts.length, count)
    t.equal((await answer(mcpRequest('resources/read', { uri: 'test://secret/1' }, caller))).code, code)
    t.equal((await answer(mcpRequest('prompts/get', { name: 'secretPrompt' }, caller))).code, code)
  }
})

function bytesOf (result: Result, version = '2026-07-28'): Buffer {
  if (result.kind !== 'prepared') throw new Error('it was made for this request alone')
  return result.prepared.bytesFor(version)
}

const shape = (cache: CatalogView['cache']) => ({ method: 'tools/list', member: 'tools', cache })

t.test('views that publish the same share their bytes, whichever catalogs and policies they come from', async (t) => {
  const pages = createListPages({ encoder: createEncoder({ name: 'm', version: '1' }) })
  const bytes = ({ tools, cache }: CatalogView, version?: string) => bytesOf(pages.page(tools, undefined, shape(cache)), version)
  const ofLocal = restrictCatalog(localCatalog({ tools: [tool('a'), tool('secretB')] }), byName)
  const ofMerged = restrictCatalog(mergeBench(localCatalog({ tools: [tool('a')] }), localCatalog({ tools: [tool('secretB')] })).merged, byName)
  const [one, other] = [await ofLocal.view(eve), await ofMerged.view({ principal: principal('bob') })]

  t.not(one, other)
  t.equal(bytes(one), bytes(other))
  t.equal(bytes(one, '2025-11-25'), bytes(other, '2025-11-25'))
  t.not(bytes(one), bytes(await ofLocal.view(ada)))
  t.not(bytes(one), bytes({ ...one, cache: { ...one.cache, scope: 'public' } }), 'a hint is part of the bytes')
})

t.test('LIST-05: a cursor in the middle of a page is answered for this request alone', (t) => {
  const pages = createListPages({ encoder: createEncoder({ name: 'm', version: '1' }), pageSize: 2 })
  const { tools, cache } = viewOf(['a', 'b', 'c', 'd', 'e'])
  const after = (name: string) => pages.page(tools, Buffer.from(name).toString('base64url'), shape(cache))

  t.equal(after('b'), after('b'))
  t.match(after('a'), { kind: 'complete', body: { tools: [{ name: 'b' }, { name: 'c' }] } })
  t.end()
})

t.test('the bytes of lists are bounded: those that were not asked for the longest are forgotten', (t) => {
  const views = Array.from({ length: 10 }, (_, index) => viewOf([`tool${index}`, 'x'.repeat(60)]))
  const size = bytesOf(createListPages({ encoder: createEncoder({ name: 'm', version: '1' }) }).page(views[0]!.tools, undefined, shape(views[0]!.cache))).length
  const pages = createListPages({ encoder: createEncoder({ name: 'm', version: '1' }), maxBytes: 3 * size })
  const bytes = (index: number) => bytesOf(pages.page(views[index]!.tools, undefined, shape(views[index]!.cache)))

  const first = bytes(0)
  bytes(1)
  t.equal(bytes(0), first)
  bytes(2)
  bytes(3)
  t.equal(bytes(0), first, 'asked for lately')
  for (let index = 1; index < 10; index++) bytes(index)
  t.not(bytes(0), first)
  t.same(bytes(0), first)
  t.end()
})

/** A catalog whose views the test replaces. */
function changing (first: CatalogView) {
  const listeners = new Set<(change: ViewChange) => void>()
  let current = first
  const own = new Map<string, CatalogView>()
  const catalog: Catalog = {
    view: ({ principal: { key } }) => own.get(key) ?? current,
    watch (listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  }
  return {
    catalog,
    listeners,
    replace (after: CatalogView, caller?: Caller) {
      const before = caller === undefined ? current : own.get(caller.principal.key) ?? current
      if (caller === undefined) current = after
      else own.set(caller.principal.key, after)
      for (const listener of listeners) listener({ principal: caller?.principal, before, after })
    }
  }
}

function announced (catalog: Catalog) {
  const bus = createEventBus({ log: { error () {} } })
  const told: string[] = []
  for (const [name, topic] of [['all', 'global'], ['ada', principalTopic(ada.principal.key)], ['eve', principalTopic(eve.principal.key)]] as const) {
    bus.subscribe(topic, (change) => told.push(`${name} ${change.type === 'list' ? change.list : change.uri}`))
  }
  return { told, stop: announceChanges(catalog, bus) }
}

t.test('SUB-05: a list is told to have changed when it reads differently, to those who see it, and only then', (t) => {
  const { catalog, replace, listeners } = changing(viewOf(['a']))
  const { told, stop } = announced(mergeBench(localCatalog({}), catalog).merged)

  replace(viewOf(['a']))
  t.same(told, [], 'another view that reads the same is no change')
  replace(viewOf(['a', 'b']))
  replace(viewOf(['a', 'b', 'c']), ada)
  const resource = registerResource({ uriTemplate: 'test://a', name: 'a', title: 'A', description: 'A', mimeType: 'text/plain', read: async () => undefined, topicOf: async () => undefined })
  replace(viewOf(['a', 'b'], { resources: [resource] }))
  t.same(told, ['all tools', 'ada tools', 'all resources'])

  stop()
  t.equal(listeners.size, 0)
  t.end()
})

t.test('SUB-05, D-20: a change of what a policy takes away is told to nobody', async (t) => {
  const { catalog, replace } = changing(viewOf(['a']))
  const restricted = restrictCatalog(catalog, { ...byName, groupOf: () => 'guest' })
  const { told } = announced(restricted)
  await restricted.view(eve)

  replace(viewOf(['a', 'secretB']))
  replace(viewOf(['a', 'secretB', 'secretC']), ada)
  t.same(told, [])
  await restricted.view(eve)
  replace(viewOf(['a', 'b', 'secretB']))
  t.same(told, ['all tools'])
})
