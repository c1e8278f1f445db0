import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'

export interface AuthorizingProxy {
  readonly port: number
  close (): Promise<void>
}

/**
 * Puts a token on every request that comes without one, and changes nothing else: headers keep
 * their case, order and doubles, bodies and streams pass byte by byte as they come, and either
 * side leaving ends the other. The conformance suite knows no tokens, and the gateway behind
 * stays as it is in production.
 */
export async function startAuthorizingProxy ({ targetPort, token }: { readonly targetPort: number, readonly token: string }): Promise<AuthorizingProxy> {
  const server = createServer((incoming, outgoing) => forward(incoming, outgoing))
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  function forward (incoming: IncomingMessage, outgoing: ServerResponse): void {
    const authorization = incoming.headers.authorization === undefined ? ['Authorization', `Bearer ${token}`] : []
    const upstream = request({
      host: '127.0.0.1', port: targetPort, method: incoming.method, path: incoming.url, headers: [...incoming.rawHeaders, ...authorization], agent: false
    })
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }

  return {
    port: address.port,
    async close () {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    }
  }
}
