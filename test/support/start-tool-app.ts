import type { ToolDefinition } from '../../src/tools/tool-definition.ts'
import { mcpWire, type Wire } from './mcp-wire.ts'
import { startTestApp } from './start-test-app.ts'

interface Teardown { teardown (work: () => Promise<void>): void }

/** A server on a free port with any tools, and without phones. */
export async function startToolApp (t: Teardown, tools: readonly ToolDefinition[]): Promise<{ readonly wire: Wire, readonly port: number, readonly token: string }> {
  const { port, token: readToken } = await startTestApp(t, {
    phones: 0, offer: () => ({ tools, resources: [], prompts: [] })
  })
  const token = await readToken()
  return { port, token, wire: mcpWire({ port, token }) }
}
