import t from 'tap'
import { readIncoming } from '../../src/protocol/envelope.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']

t.test('LIST-05: a cursor that is no text is told so, and not that the list has changed', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })

  for (const method of lists) {
    for (const cursor of [null, '', 7, {}, [], true, 2 ** 60]) {
      for (const reply of [await wire.modern(method, { cursor }), await wire.legacy(method, { cursor })]) {
        t.match(reply.json().error, { code: -32602, message: /^params\.cursor must be text that came as nextCursor; leave it out/ }, `${method} ${JSON.stringify(cursor)}`)
      }
    }
    t.match((await wire.modern(method, { cursor: 'eHh4' })).json().error, { code: -32602, message: /not one of this list, or the list has changed/ })
  }
})

t.test('PROG-01: what is no progress token is refused in both eras; null stands for none', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })

  for (const progressToken of [1.5, 2 ** 53, {}, [], true, '\ud83d']) {
    for (const reply of [await wire.modern('tools/list', { _meta: { progressToken } }), await wire.legacy('tools/list', { _meta: { progressToken } })]) {
      t.match(reply.json().error, { code: -32602, message: /progressToken must be a string of whole characters or a whole number up to 2\^53 - 1/ }, JSON.stringify(progressToken))
    }
  }
  for (const progressToken of [null, '', 0, -1, 2 ** 53 - 1]) t.match((await wire.modern('tools/list', { _meta: { progressToken } })).json(), { result: { tools: Array } }, JSON.stringify(progressToken))
})

t.test('RPC-02: an id is told what is wrong with it, and a whole number not that it is none', async (t) => {
  const wordsOn = (id: unknown): unknown => readIncoming({ jsonrpc: '2.0', id, method: 'ping' }, undefined)
  const refused = (words: RegExp): object => ({ kind: 'rejected', id: undefined, rejection: { status: 400, code: -32600, message: words } })

  t.match(wordsOn(null), refused(/`id` must not be null; a message without an answer has no `id`/))
  for (const id of [2 ** 53, -(2 ** 53), 1e300]) t.match(wordsOn(id), refused(/beyond 2\^53 - 1, which cannot be answered exactly; send it as a string/), String(id))
  t.match(wordsOn('a\udc00'), refused(/half of a surrogate pair/))
  for (const id of [1.5, {}, [], true]) t.match(wordsOn(id), refused(/`id` must be a string or a whole number/))
  for (const id of ['', '0', 0, 2 ** 53 - 1]) t.match(wordsOn(id), { kind: 'request', envelope: { id } })
})

t.test('RPC-01: params of any other type than an object are told so', async (t) => {
  for (const params of [null, '', 'x', 0, [], true]) {
    t.match(readIncoming({ jsonrpc: '2.0', id: 1, method: 'ping', params }, undefined), { kind: 'rejected', id: 1, rejection: { message: /`params` must be an object where it is given/ } })
  }
})
