import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import Fastify from 'fastify'
import { echo, offeredTools } from '../offered-tools.ts'
import type { ContenderSetup, StartedContender } from './contender.ts'
import { portOf } from './port.ts'

/** The first SDK without sessions: a server and a transport for each request, JSON answers. */
export async function startSdkV1 ({ toolCount }: ContenderSetup): Promise<StartedContender> {
  const tools = offeredTools(toolCount)

  function createServer (): McpServer {
    const server = new McpServer({ name: 'bench', version: '1.0.0' })
    for (const { name, title, description, input, annotations } of tools) {
      server.registerTool(name, { title, description, inputSchema: input, annotations }, (given) => {
        const { content, structuredContent } = echo(String(given['text']))
        return { content: [...content], structuredContent }
      })
    }
    return server
  }

  const app = Fastify({ forceCloseConnections: true })
  app.post('/mcp', async (request, reply) => {
    reply.hijack()
    const server = createServer()
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    reply.raw.once('close', () => {
      transport.close().catch(() => {})
      server.close().catch(() => {})
    })
    await server.connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })

  return { port: portOf(app.server), close: async () => await app.close() }
}
