import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import type { RequestId } from '../../src/protocol/rejection.ts'

/** One modern request by hand, and what comes of it while it comes. */
export interface StreamClient {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything that has come so far. */
  text (): string
  /** The next message that nobody has asked for yet; rejects when the stream ends before it. */
  next (): Promise<any>
  /** The messages up to the end of the stream that nobody has asked for yet. */
  rest (): Promise<any[]>
  /** Resolves when `pattern` has come. */
  saw (pattern: RegExp): Promise<void>
  /** Takes nothing more from the connection. */
  pause (): void
  /** Goes away. */
  close (): void
}

export interface StreamRequest {
  readonly port: number
  readonly token: string
  /** Beside those of any modern request. */
  readonly headers?: OutgoingHttpHeaders
  readonly id?: RequestId
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Resolves with the head of the response. */
export async function openStream (
  t: Pick<Test, 'teardown'>, { port, token, headers = {}, id = 's', method, params: { _meta: meta, ...params } }: StreamRequest
): Promise<StreamClient> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
      ...headers
    }
  })
  t.teardown(() => { outgoing.destroy() })
  outgoing.on('error', () => {})
  outgoing.end(JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...meta as object }
    }
  }))
  const [response] = await once(outgoing, 'response') as [IncomingMessage]
  return clientOf(response, () => outgoing.destroy())
}

function clientOf (response: IncomingMessage, close: () => void): StreamClient {
  let text = ''
  let asked = 0
  const stream = { isOver: false }
  let wake = (): void => {}
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => { text += chunk; wake() })
  response.on('error', () => {})
  response.on('close', () => { stream.isOver = true; wake() })

  function messages (): unknown[] {
    return text.split('\n\n').slice(0, -1).filter((event) => event.startsWith('data: ')).map((event) => JSON.parse(event.slice(6)))
  }

  async function news (): Promise<void> {
    await new Promise<void>((resolve) => { wake = resolve })
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    async next () {
      while (messages().length <= asked && !stream.isOver) await news()
      const all = messages()
      if (all.length <= asked) throw new Error(`the stream is over: ${text}`)
      return all[asked++]
    },
    async rest () {
      while (!stream.isOver) await news()
      return messages().slice(asked)
    },
    async saw (pattern) {
      while (!pattern.test(text) && !stream.isOver) await news()
      if (!pattern.test(text)) throw new Error(`the stream is over: ${text}`)
    },
    pause: () => { response.pause() },
    close
  }
}
