/** Many clients that listen: each opens one stream, and counts what comes. */
import { connect, type Socket } from 'node:net'
import { requestBytes, type LoadRequest } from '../load.ts'

export interface StreamClients {
  /** Resolves when every stream has had this many messages; rejects when one breaks. */
  received (messages: number): Promise<void>
  /** All clients are gone at once. */
  vanish (): void
}

/** A server may bound how many requests it takes at a time; streams that are open are none. */
const openedAtATime = 100

const messageStart = Buffer.from('data: ')

/** Resolves when every stream has been acknowledged. */
export async function openStreams ({ port, token, count }: {
  readonly port: number
  readonly token: string
  readonly count: number
}): Promise<StreamClients> {
  const sockets: Socket[] = []
  let total = 0
  let wanted: { readonly total: number, readonly reached: () => void } | undefined
  let fail: (error: Error) => void = () => {}
  const broken = new Promise<never>((_resolve, reject) => { fail = reject })
  broken.catch(() => {})

  function open (id: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      sockets.push(socket)
      socket.on('error', fail)
      socket.on('close', () => fail(new Error('the server closed a stream')))
      socket.on('data', (chunk) => {
        const messages = countMessages(chunk)
        if (messages === 0) return
        total += messages
        resolve()
        if (wanted !== undefined && total >= wanted.total) wanted.reached()
      })
      socket.write(requestBytes(listenRequest(id, token), port))
    })
  }

  for (let id = 0; id < count; id += openedAtATime) {
    const batch = Array.from({ length: Math.min(openedAtATime, count - id) }, (_, index) => open(id + index))
    await Promise.race([broken, Promise.all(batch)])
  }

  return {
    async received (messages) {
      const reached = new Promise<void>((resolve) => {
        wanted = { total: messages * count, reached: resolve }
        if (total >= wanted.total) resolve()
      })
      await Promise.race([broken, reached])
      wanted = undefined
    },
    vanish () {
      for (const socket of sockets) {
        socket.removeAllListeners('close')
        socket.destroy()
      }
    }
  }
}

/** A message is so short that it arrives whole. */
function countMessages (chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(messageStart); at !== -1; at = chunk.indexOf(messageStart, at + messageStart.length)) count++
  return count
}

function listenRequest (id: number, token: string): LoadRequest {
  return {
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen'
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' }
        }
      }
    })
  }
}
