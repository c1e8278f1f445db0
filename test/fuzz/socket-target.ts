import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { Test } from 'tap'
import type { SchemaTool } from '../../src/tools/tool-definition.ts'
import { fixture } from '../oracle/fixture.ts'
import { startTestApp, type TestedApp } from '../support/start-test-app.ts'
import { toldLists } from '../support/told-lists.ts'

/** Says the same text in every way that a call can say something. */
const say: SchemaTool = {
  name: 'say',
  description: 'Gives back a text, as progress, as a log message and as its result.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  reports: true,
  async run ({ text }, { progress, log }) {
    const message = String(text)
    progress({ progress: 1, message })
    log('info', { [message]: message })
    return { content: [{ type: 'text', text: message }], structuredContent: { text: message } }
  }
}

/** Works until it is told to stop. */
const endless: SchemaTool = {
  name: 'endless',
  description: 'Goes on until its caller leaves.',
  inputSchema: { type: 'object' },
  reports: true,
  run: async (_input, { signal }) => await new Promise((resolve) => {
    if (signal.aborted) resolve({ content: [] })
    else signal.addEventListener('abort', () => resolve({ content: [] }), { once: true })
  })
}

export interface SocketTarget {
  readonly app: TestedApp
  readonly port: number
  readonly token: string
  /** Throws when a good request is not answered, something is still in flight, or the log tells of a fault. */
  assertSound (): Promise<void>
}

/** A running server to throw things at. It gives up on slow requests after five seconds, which no whole request takes. */
export async function startSocketTarget (t: Pick<Test, 'teardown'>): Promise<SocketTarget> {
  const { app, port, token, log } = await startTestApp(t, {
    flags: ['--request-timeout-ms', '5000', '--log-level', 'error'],
    offer: () => toldLists({ ...fixture, tools: [...fixture.tools, say, endless] })
  })
  const value = await token()
  return {
    app,
    port,
    token: value,
    async assertSound () {
      await app.admission.idle()
      const { status, body } = await post({ port, token: value, body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}') })
      if (status !== 200 || body.toString() !== '{"jsonrpc":"2.0","id":1,"result":{}}') throw new Error(`a good request got ${status} ${body.toString()}`)
      if (log() !== '') throw new Error(`the log tells of a fault: ${log()}`)
    }
  }
}

interface Posting {
  readonly port: number
  readonly token: string
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** One POST to the MCP endpoint, with the answer as bytes. */
export async function post (posting: Posting): Promise<{ status: number, type: string, body: Buffer }> {
  const incoming = await answerTo(begin(posting))
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return { status: incoming.statusCode ?? 0, type: incoming.headers['content-type'] ?? '', body: Buffer.concat(chunks) }
}

/** The same, but only for the first bytes of an answer that may never end; `leave` breaks the connection. */
export async function beginPost (posting: Posting): Promise<{ type: string, first: Buffer, leave: () => void }> {
  const outgoing = begin(posting)
  const incoming = await answerTo(outgoing)
  incoming.on('error', () => {})
  const [first] = await once(incoming, 'data') as [Buffer]
  return { type: incoming.headers['content-type'] ?? '', first, leave: () => outgoing.destroy() }
}

function begin ({ port, token, body, headers = {} }: Posting): ClientRequest {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/mcp',
    // A kept connection may be over its time before this process, busy with something else, comes to see it.
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  })
  outgoing.end(body)
  return outgoing
}

async function answerTo (outgoing: ClientRequest): Promise<IncomingMessage> {
  const [incoming] = await once(outgoing, 'response') as [IncomingMessage]
  return incoming
}
