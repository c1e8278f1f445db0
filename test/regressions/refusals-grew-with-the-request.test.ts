import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a refusal names some of what is wrong, not a million things', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`unknown-${index}`, 'x']))

  for (const reply of [
    await wire.modern('prompts/get', { name: 'exploreApp', arguments: many }),
    await wire.modern('tools/call', { name: 'listDevices', arguments: many })
  ]) {
    t.match(reply.text, /unknown-0/)
    t.ok(reply.text.length < 5_000, `${reply.text.length} characters`)
  }
})
