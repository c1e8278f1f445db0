/**
 * The SDK's own handler, mounted in Fastify the way its documentation mounts it: what it needs
 * per request it makes per request. What can be made once (schemas, the published list) is.
 */
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import {
  createMcpHandler, InMemoryServerEventBus, McpServer, ProtocolError, ProtocolErrorCode, Server, type McpServerFactory, type ServerEventBus, type Tool
} from '@modelcontextprotocol/server'
import Fastify from 'fastify'
import { registerTool } from '../../src/mcp/catalog/registered-tool.ts'
import { echo, echoTool, offeredTools } from '../offered-tools.ts'
import type { ContenderSetup, StartedContender } from './contender.ts'
import { portOf } from './port.ts'

const implementation = { name: 'bench', version: '1.0.0' }

/** With the low-level `Server`: a list made once, arguments checked by hand. */
export async function startSdkServer ({ toolCount }: ContenderSetup): Promise<StartedContender> {
  const tools = offeredTools(toolCount).map((tool) => registerTool(tool).published) as unknown as Tool[]

  return await serve(() => {
    const server = new Server(implementation, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given } }) => {
      const text = given?.['text']
      if (name !== echoTool.name || typeof text !== 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such call')
      const { content, structuredContent } = echo(text)
      return { content: [...content], structuredContent }
    })
    return server
  })
}

/** With `McpServer`: the same zod schemas as in mooring, registered for each request. */
export async function startSdkMcpServer ({ toolCount }: ContenderSetup): Promise<StartedContender> {
  const tools = offeredTools(toolCount)

  return await serve(() => {
    const server = new McpServer(implementation)
    for (const { name, title, description, input, annotations } of tools) {
      server.registerTool(name, { title, description, inputSchema: input, annotations }, (given) => {
        const { content, structuredContent } = echo(String(given['text']))
        return { content: [...content], structuredContent }
      })
    }
    return server
  })
}

async function serve (factory: McpServerFactory): Promise<StartedContender> {
  const bus = countingBus()
  const handler = createMcpHandler(factory, { bus, maxSubscriptions: 10_000 })
  const handle = toNodeHandler(handler)
  const app = Fastify({ forceCloseConnections: true })
  app.post('/mcp', async (request, reply) => {
    reply.hijack()
    // What a server receives has a method; only the type of what a client receives leaves it open.
    await handle(request.raw as NodeIncomingMessageLike, reply.raw, request.body)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    port: portOf(app.server),
    streams: { publish: () => handler.notify.toolsChanged(), count: () => bus.listeners },
    async close () {
      await handler.close()
      await app.close()
    }
  }
}

/** Every stream listens on the bus for as long as the handler believes it is open. */
function countingBus (): ServerEventBus & { readonly listeners: number } {
  const bus = new InMemoryServerEventBus()
  let listeners = 0
  return {
    get listeners () { return listeners },
    publish: (event) => bus.publish(event),
    subscribe (listener) {
      const unsubscribe = bus.subscribe(listener)
      listeners++
      let isSubscribed = true
      return () => {
        unsubscribe()
        if (isSubscribed) listeners--
        isSubscribed = false
      }
    }
  }
}
