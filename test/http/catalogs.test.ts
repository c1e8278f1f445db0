import t from 'tap'
import { capabilitiesTelling, createView } from '../../src/mcp/catalog/create-view.ts'
import { mergeCatalogs } from '../../src/mcp/catalog/merge-catalogs.ts'
import { registerForeignTools } from '../../src/mcp/catalog/registered-tool.ts'
import { restrictCatalog } from '../../src/mcp/catalog/restrict-catalog.ts'
import type { ForwardingTool } from '../../src/tools/tool-definition.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const odd = { content: [{ type: 'hologram', data: 1 }], isError: true, _meta: { 'example.com/a': 1 } }

const far = (name: string): ForwardingTool => ({
  name, published: { description: 'Is served elsewhere.', inputSchema: { type: 'object' } }, forward: async () => ({ kind: 'complete', body: odd })
})

const viewOf = (...tools: readonly ForwardingTool[]) => createView({
  tools: registerForeignTools(tools, (name, reason) => { throw new Error(`${name}: ${reason}`) }),
  resources: [],
  prompts: [],
  cache: { ttlMs: 5_000, scope: 'private' },
  capabilities: capabilitiesTelling([])
})

t.test('LIST-02, CACHE-04: over HTTP too, each principal sees and calls what it is offered', async (t) => {
  const views = new Map([['ada', viewOf(far('far_a'), far('far_b'))], ['eve', viewOf(far('far_b'))]])
  const { port, token } = await startTestApp(t, {
    phones: 1,
    catalog: (local) => restrictCatalog(
      mergeCatalogs([local, { view: async ({ principal: { subject } }) => views.get(subject) ?? viewOf() }], { log: { warn () {} } }),
      { groupOf: ({ principal: { subject } }) => subject, allows: (subject, { name }) => subject === 'ada' || name !== 'resetDevice' }
    )
  })
  const value = await token()
  const wireOf = (caller: string) => mcpWire({ port, token: value, headers: { 'x-caller': caller } })
  const names = async (caller: string, era: 'modern' | 'legacy') =>
    (await wireOf(caller)[era]('tools/list')).json().result.tools.map(({ name }: { name: string }) => name)

  for (const era of ['modern', 'legacy'] as const) {
    const [ofAda, ofEve] = [await names('ada', era), await names('eve', era)]
    t.same(ofAda.slice(-3), ['resetDevice', 'far_a', 'far_b'])
    t.same(ofEve, ofAda.filter((name: string) => name !== 'resetDevice' && name !== 'far_a'))
  }
  t.match((await wireOf('eve').modern('tools/list')).json().result, { cacheScope: 'private', ttlMs: 5_000 })
  t.match(await wireOf('ada').call('far_a'), odd)
  t.match((await wireOf('eve').modern('tools/call', { name: 'far_a' })).json(), { error: { code: -32602 } })
  t.match((await wireOf('eve').modern('tools/call', { name: 'resetDevice' })).json(), { error: { code: -32602 } })
  t.match(await wireOf('eve').call('listDevices'), { structuredContent: { devices: [{}] } })
})
