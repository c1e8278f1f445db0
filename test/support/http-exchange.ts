import { request, type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; throws when it is none. */
  json (): any
}

export interface Exchange {
  readonly port: number
  readonly method?: string
  readonly path?: string
  /** Sent as they are; an array sends the header more than once. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  /** Keeps connections; without one each exchange has its own. */
  readonly agent?: Agent | undefined
}

/** One HTTP exchange with full control over headers, which `fetch` does not give. */
export function exchange ({ port, method = 'POST', path = '/mcp', headers = {}, body, agent }: Exchange): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: agent ?? false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: () => JSON.parse(text) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
