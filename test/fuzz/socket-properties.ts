/** What must hold for anything that arrives at the socket of a running server. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { encodeHeaderValue } from '../../src/protocol/header-value.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { parseEvents } from './event-parser.ts'
import { asyncProperty, type FuzzProperty } from './fuzz-property.ts'
import { hostileBytes, hostileText, hostileValue, wellFormed } from './hostile-values.ts'
import { holdsProtoKey, hostileMessage } from './protocol-properties.ts'
import { beginPost, post, type SocketTarget } from './socket-target.ts'

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const modernHeaders = (method: string, name?: string): Record<string, string> => (
  { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': encodeHeaderValue(name) }) }
)

/** A message that gets as far as a method, with anything in its parameters. */
const farReaching = fc.tuple(
  fc.constantFrom('tools/call', 'tools/list', 'resources/read', 'resources/list', 'prompts/get', 'completion/complete', 'logging/setLevel', 'initialize', 'server/discover'),
  fc.record({
    name: fc.oneof(fc.constantFrom('echo', 'sum', 'routed', 'steps', 'json_schema_2020_12_tool', 'greet'), hostileText, hostileValue),
    arguments: hostileValue,
    uri: fc.oneof(fc.constantFrom('test://static', 'test://items/%ff', 'test://items/a%2fb'), hostileText, hostileValue),
    cursor: hostileValue,
    ref: fc.oneof(fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name: hostileValue, uri: hostileValue }), hostileValue),
    argument: fc.oneof(fc.record({ name: hostileText, value: hostileText }), hostileValue),
    level: hostileValue,
    progressToken: hostileValue
  }, { requiredKeys: [] })
)

const targets = ['/mcp', '/', '*', '/:(', '/%00', '/mcp?x=%zz', 'http://127.0.0.1/mcp', 'http://evil.example/mcp', '//mcp', '/livez', '/status', 'evil.example:443', '/\u00e9', '']
const methods = ['POST', 'GET', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY', 'PUT', 'PRI', 'post', '']
const headLines = [
  'Host: 127.0.0.1', 'Host: evil.example', 'Host:', 'Content-Length: 2', 'Content-Length: 3', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Content-Length: 0x2',
  'Content-Length: 2, 2', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: xchunked', 'Transfer-Encoding : chunked', 'Content-Type: application/json', 'Content-Type: text/plain',
  'content-type: application/json; charset=utf-16', 'Expect: 100-continue', 'Expect: tea', 'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c', 'Connection: close', 'Connection: keep-alive, x',
  'MCP-Protocol-Version: 2026-07-28', 'MCP-Protocol-Version: 2025-03-26', 'Mcp-Method: ping', 'Mcp-Name: =?base64?/w==?=', ' folded: line', '\tfolded', 'X: a\u0000b', 'X: \u00ff', ': empty', 'no colon', 'X'.repeat(3_000) + ': y',
  'Accept: text/html', 'Origin: null', 'Origin: http://127.0.0.1', 'Authorization: Bearer wrong', 'Trailer: x', 'TE: trailers', '__proto__: x', 'constructor: x', 'Content-Encoding: gzip', 'Mcp-Param-Region: eu', 'traceparent: 00-zz'
]
const ends = ['{}', '', '2\r\n{}\r\n0\r\n\r\n', '2;a=b\r\n{}\r\n0\r\nx: y\r\n\r\n', 'zz\r\n', '0\r\n\r\nGET /livez HTTP/1.1\r\n\r\n', ping]

export function socketProperties ({ app, port, token, assertSound }: SocketTarget): readonly FuzzProperty[] {
  const isHonest = ({ status, type, body }: { status: number, type: string, body: Buffer }): boolean => {
    if (status === 202) return body.length === 0
    if (![200, 400, 404].includes(status)) return false
    const messages: unknown[] = type.startsWith('text/event-stream') ? parseEvents(body).map((event) => JSON.parse(event)) : [JSON.parse(body.toString())].flat()
    return messages.length > 0 && messages.every((message) => (message as { jsonrpc: unknown }).jsonrpc === '2.0' && !body.includes('"code":-32603'))
  }

  return [
    asyncProperty('any body gets an answer that is JSON-RPC, and no internal error', 150, [
      hostileBytes(fc.oneof(hostileMessage, hostileValue, fc.array(hostileMessage, { maxLength: 3 })).map((value) => JSON.stringify(value))),
      fc.constantFrom({}, { 'mcp-protocol-version': '2025-06-18' }, modernHeaders('tools/call', 'echo'))
    ], async (body, headers) => isHonest(await post({ port, token, body, headers }))),

    asyncProperty('any parameters of any method get an answer, and no internal error', 250, [farReaching, fc.boolean()], async ([method, given], isModern) => {
      const { progressToken, ...params } = given
      const _meta = { ...(isModern ? meta : {}), ...(progressToken === undefined ? {} : { progressToken }) }
      const named = method === 'resources/read' ? params.uri : params.name
      const headers = isModern ? modernHeaders(method, typeof named === 'string' ? named : undefined) : {}
      return isHonest(await post({ port, token, headers, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })) }))
    }),

    asyncProperty('HTTP-14: an event stream reads back as what was said, whatever was said', 60, [hostileText], async (said) => {
      // Halves of characters are refused where they name a message, and replaced where they are said.
      const text = wellFormed(said)
      const body = JSON.stringify({ jsonrpc: '2.0', id: text, method: 'tools/call', params: { name: 'say', arguments: { text }, _meta: { ...meta, progressToken: text, 'io.modelcontextprotocol/logLevel': 'debug' } } })
      const reply = await post({ port, token, body: Buffer.from(body), headers: modernHeaders('tools/call', 'say') })
      const [progress, log, result, ...more] = parseEvents(reply.body).map((event) => JSON.parse(event))
      return reply.type.startsWith('text/event-stream') && more.length === 0 &&
        isDeepStrictEqual(progress.params, { progressToken: text, progress: 1, message: text }) &&
        isDeepStrictEqual(Object.entries(log.params.data), [[text, text]]) &&
        result.id === text && result.result.content[0].text === text && result.result.structuredContent.text === text
    }),

    asyncProperty('any head gets a refusal or an answer, never a fault, and the connection ends', 250, [
      fc.constantFrom(...methods), fc.constantFrom(...targets), fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', ''), fc.array(fc.constantFrom(...headLines, `Authorization: Bearer ${token}`), { maxLength: 8 }),
      fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'), fc.constantFrom(...ends)
    ], async (method, target, version, lines, lineEnd, rest) => {
      const connection = await rawConnection(port)
      connection.send(Buffer.from([`${method} ${target} ${version}`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, ...lines, '', rest].join(lineEnd), 'latin1'))
      // Whatever can be answered has been by then; the rest is told that no more will come.
      await post({ port, token, body: Buffer.from(ping) })
      connection.socket.end()
      for (let answers = 0; answers < 10; answers++) {
        const reply = await connection.next()
        if (reply === undefined) return true
        if (reply.status >= 500) return false
      }
      return false
    }),

    asyncProperty('requests on one connection are answered in order, wherever the bytes are cut', 60, [fc.array(hostileText.map(wellFormed), { minLength: 1, maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 })], async (ids, cuts) => {
      const bytes = Buffer.concat(ids.map((id) => rawPost(token, JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))))
      const connection = await rawConnection(port)
      connection.socket.setNoDelay(true)
      let from = 0
      for (const cut of [...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]) {
        connection.send(bytes.subarray(from, cut))
        from = cut
        await new Promise(setImmediate)
      }
      for (const id of ids) {
        if (JSON.parse((await connection.next())?.body ?? '{}').id !== id) return false
      }
      connection.socket.destroy()
      return true
    }),

    asyncProperty('a connection that breaks anywhere leaves nothing behind', 60, [
      fc.array(fc.tuple(fc.constantFrom('say', 'endless'), fc.boolean()), { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean()
    ], async (calls, cut, isRude) => {
      const bytes = Buffer.concat(calls.map(([name, streams]) => rawPost(
        token,
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { text: 'x'.repeat(50_000) }, _meta: { ...meta, ...(streams ? { progressToken: 1 } : {}) } } }),
        Object.entries(modernHeaders('tools/call', name)).map(([header, value]) => `${header}: ${value}`)
      )))
      const connection = await rawConnection(port)
      connection.send(bytes.subarray(0, cut % bytes.length))
      await post({ port, token, body: Buffer.from(ping) })
      if (isRude) connection.reset()
      else connection.socket.destroy()
      await app.admission.idle()
    }),

    asyncProperty('SUB-02: any filter of a listen stream gets a refusal or an acknowledgement, and nothing stays when its reader leaves', 60, [
      fc.oneof(fc.record({
        toolsListChanged: fc.boolean(), resourcesListChanged: fc.boolean(), resourceSubscriptions: fc.array(fc.oneof(fc.constantFrom('test://static', 'test://items/anchor'), hostileText), { maxLength: 5 })
      }, { requiredKeys: [] }), fc.record({ toolsListChanged: hostileValue, resourceSubscriptions: hostileValue, taskIds: hostileValue }, { requiredKeys: [] }), hostileValue), hostileText.map(wellFormed)
    ], async (notifications, id) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta: meta } })
      const { type, first, leave } = await beginPost({ port, token, body: Buffer.from(body), headers: modernHeaders('subscriptions/listen') })
      const message = type.startsWith('text/event-stream') ? JSON.parse(parseEvents(first)[0] ?? '{}') : JSON.parse(first.toString())
      leave()
      // An open stream is not in flight, so idleness does not tell when the server has seen it go.
      for (let round = 0; app.listenStreams.streams > 0 && round < 100; round++) await post({ port, token, body: Buffer.from(ping) })
      if (app.listenStreams.streams + app.listenStreams.uris > 0) return false
      if (holdsProtoKey(notifications)) return message.error.code === -32600
      // SUB-10: tasks are asked for without the extension.
      if (message.error?.code === -32021) return asksForTasks(notifications)
      return message.error?.code === -32602 ||
        (message.method === 'notifications/subscriptions/acknowledged' && message.params._meta['io.modelcontextprotocol/subscriptionId'] === id)
    }),

    asyncProperty('the server is sound after all that', 1, [fc.constant(undefined)], async () => await assertSound())
  ]
}

function asksForTasks (notifications: unknown): boolean {
  if (typeof notifications !== 'object' || notifications === null || !('taskIds' in notifications)) return false
  return Array.isArray(notifications.taskIds) && notifications.taskIds.length > 0
}
