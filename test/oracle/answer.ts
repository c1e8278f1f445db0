/** What a side answered, without what may differ: wording, and whether it came as JSON or as a stream. */
import { request, type Agent, type OutgoingHttpHeaders } from 'node:http'
import { isObject } from '../../src/protocol/message.ts'
import { eventsOf } from '../support/mcp-wire.ts'
import type { Call } from './calls.ts'

export interface Answer {
  readonly status: number
  /** The JSON-RPC messages of the answer; none for a refusal that is not one. */
  readonly messages: readonly unknown[]
}

export async function ask (port: number, agent: Agent, { headers, body }: Call, further: OutgoingHttpHeaders = {}): Promise<Answer> {
  const { status, type, text } = await post(port, agent, { ...headers as OutgoingHttpHeaders, ...further }, body)
  const found: unknown = type.startsWith('text/event-stream') ? eventsOf(text) : text === '' ? [] : JSON.parse(text)
  const messages = (Array.isArray(found) ? found : [found]).filter((message) => isObject(message) && message['jsonrpc'] === '2.0').map(withoutWording)
  return { status, messages }
}

function post (port: number, agent: Agent, headers: OutgoingHttpHeaders, body: string): Promise<{ status: number, type: string, text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers: { ...headers, 'content-length': Buffer.byteLength(body) }, agent }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, type: incoming.headers['content-type'] ?? '', text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function withoutWording (message: unknown): unknown {
  if (!isObject(message)) return message
  const { error, result } = message
  // `null` and no id at all both say that none could be read.
  const id = message['id'] === null ? {} : 'id' in message ? { id: message['id'] } : {}
  if (isObject(error)) return { ...id, error: error['code'] }
  if (!isObject(result)) return message
  return { ...id, result: result['isError'] === true ? { isError: true } : withoutUnsupported(result) }
}

/** `listChanged: false` says the same as no `listChanged`. */
function withoutUnsupported (result: Readonly<Record<string, unknown>>): unknown {
  const { capabilities } = result
  if (!isObject(capabilities)) return result
  return {
    ...result,
    capabilities: Object.fromEntries(Object.entries(capabilities).map(([name, value]) => {
      if (!isObject(value) || value['listChanged'] !== false) return [name, value]
      const { listChanged: _none, ...rest } = value
      return [name, rest]
    }))
  }
}
