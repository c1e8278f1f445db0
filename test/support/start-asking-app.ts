import { once } from 'node:events'
import { request, type OutgoingHttpHeaders } from 'node:http'
import { callerHeader } from '../../scripts/support/named-callers.ts'
import type { Offer } from '../../src/tools/offer.ts'
import { askingOffer } from './asking-offer.ts'
import { exchange, type Reply } from './http-exchange.ts'
import { manualTime, type ManualTime } from './manual-time.ts'
import { messagesOf } from './messages-of.ts'
import { startTestApp, type TestedApp } from './start-test-app.ts'

/** A stream that is still open. */
export interface OpenStream {
  readonly status: number
  readonly contentType: string | undefined
  /** The next message; undefined when the stream has ended. */
  next (): Promise<any>
  close (): void
}

export interface AskingApp {
  readonly app: TestedApp
  readonly url: string
  readonly token: string
  readonly did: readonly string[]
  /** Everything that was logged so far. */
  log (): string
  readonly time: ManualTime
  /** Resolves when the server has seen the end of every connection so far. */
  everybodyLeft (): Promise<void>
  /** One exchange by hand. */
  post (message: object | readonly object[], headers?: OutgoingHttpHeaders, who?: string): Promise<Reply>
  modern (method: string, params: Record<string, unknown>, options?: { capabilities?: object, meta?: object, who?: string }): Promise<Reply>
  /** A legacy request whose answer is read message by message. */
  legacy (method: string, params: Record<string, unknown>, options?: { id?: string | number, who?: string, version?: string | undefined, headers?: OutgoingHttpHeaders }): Promise<OpenStream>
}

/** The whole server over tools that ask, with a principal for each name and a time that the test moves. */
export async function startAskingApp (
  t: { teardown (work: () => Promise<void>): void }, { flags = [], offer = {} }: { flags?: readonly string[], offer?: Partial<Offer> } = {}
): Promise<AskingApp> {
  const time = manualTime(Date.UTC(2026, 0, 1))
  const { did, ...asking } = askingOffer()
  const { app, port, url, log, token: readToken } = await startTestApp(t, {
    phones: 0,
    unnamed: 'ada',
    flags: ['--call-limit-ms', '60000', ...flags],
    clock: time.clock,
    scheduler: time.scheduler,
    offer: () => ({ ...asking, ...offer })
  })
  t.teardown(async () => app.mcp.running.abortAll())
  const ends: Array<Promise<unknown>> = []
  app.server.on('connection', (socket) => { ends.push(once(socket, 'close')) })
  const token = await readToken()
  let lastId = 0

  const headersOf = (who: string): OutgoingHttpHeaders => ({
    'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}`, [callerHeader]: who
  })

  const post: AskingApp['post'] = async (message, headers = {}, who = 'ada') =>
    await exchange({ port, body: JSON.stringify(message), headers: { ...headersOf(who), ...headers } })

  return {
    app,
    url,
    token,
    did,
    log,
    time,
    post,
    everybodyLeft: async () => { await Promise.all(ends) },

    async modern (method, params, { capabilities = { elicitation: {}, sampling: {}, roots: {} }, meta = {}, who } = {}) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities, ...meta
      }
      const name = params[method === 'resources/read' ? 'uri' : 'name']
      return await post({ jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta } }, {
        'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': String(name)
      }, who)
    },

    async legacy (method, params, { id = ++lastId, who = 'ada', version = '2025-11-25', headers = {} } = {}) {
      const outgoing = request({
        host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent: false, headers: { ...headersOf(who), 'mcp-protocol-version': version, ...headers }
      })
      outgoing.on('error', () => {})
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      const [response] = await once(outgoing, 'response')
      const messages = messagesOf(response)
      return {
        status: response.statusCode,
        contentType: response.headers['content-type'],
        next: async () => (await messages.next()).value,
        close: () => outgoing.destroy()
      }
    }
  }
}
