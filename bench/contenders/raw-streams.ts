import type { ServerResponse } from 'node:http'
import Fastify from 'fastify'
import type { StartedContender } from './contender.ts'
import { portOf } from './port.ts'

/** The least that a listen stream can be: the reply is taken from Fastify, and the same messages are written to it. */
export async function startRawStreams (): Promise<StartedContender> {
  const open = new Map<ServerResponse, number>()
  const app = Fastify({ forceCloseConnections: true })
  app.post<{ Body: { id: number } }>('/mcp', (request, reply) => {
    const { raw } = reply.hijack()
    const { id } = request.body
    open.set(raw, id)
    raw.on('close', () => open.delete(raw))
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', connection: 'keep-alive', 'x-accel-buffering': 'no' })
    raw.write(event('notifications/subscriptions/acknowledged', { notifications: { toolsListChanged: true }, ...tagged(id) }))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })

  return {
    port: portOf(app.server),
    streams: {
      publish () {
        for (const [response, id] of open) response.write(event('notifications/tools/list_changed', tagged(id)))
      },
      count: () => open.size
    },
    close: async () => await app.close()
  }
}

function tagged (id: number): object {
  return { _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
}

function event (method: string, params: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`
}
