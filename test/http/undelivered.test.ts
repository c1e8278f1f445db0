import t from 'tap'
import type { SchemaTool } from '../../src/tools/tool-definition.ts'
import { idle } from '../support/idle.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('what a call made is undone too when a fault takes the place of its answer, alone and in a batch', async (t) => {
  const undone: string[] = []
  const make: SchemaTool = {
    name: 'make',
    description: 'Makes something, and says it in words that fit or not.',
    inputSchema: { type: 'object' },
    run: async ({ what, fits }) => ({
      // A number that no JSON can say.
      content: [{ type: 'text', text: fits === true ? 'made' : 1n as never }],
      undo: async () => { undone.push(String(what)) }
    })
  }
  const { port, token } = await startTestApp(t, { phones: 0, offer: () => ({ tools: [make], resources: [], prompts: [] }) })
  const wire = mcpWire({ port, token: await token() })
  const element = (id: number, args: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'make', arguments: args } })

  t.match(await wire.call('make', { what: 'good', fits: true }), { content: [{ text: 'made' }] })
  t.equal((await wire.modern('tools/call', { name: 'make', arguments: { what: 'alone' } })).status, 500)
  t.equal((await wire.post(JSON.stringify([element(1, { what: 'first', fits: true }), element(2, { what: 'second' })]))).status, 500)
  while (undone.length < 3) await idle()

  t.same(undone.sort(), ['alone', 'first', 'second'])
})
