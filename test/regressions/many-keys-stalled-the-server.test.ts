/**
 * A body of 4 MiB with half a million keys kept the parser for most of a second, in which nothing else
 * was answered. What is bounded now is what costs time: members and items, and not only bytes.
 */
import t from 'tap'
import { maxParts, parseJsonBody } from '../../src/protocol/json-body.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

/** A quarter of what a body may have, which is enough. */
const limitBytes = 1024 * 1024

/** As many pieces as fit, and no more than `most`. */
function filled (head: string, piece: (index: number) => string, tail: string, most = Infinity): string {
  const pieces = [head]
  let length = head.length + tail.length
  for (let index = 0; index < most; index++) {
    const next = piece(index)
    length += next.length
    if (length > limitBytes) break
    pieces.push(next)
  }
  return [...pieces, tail].join('')
}

const keys: ReadonlyArray<readonly [what: string, piece: (index: number) => string]> = [
  ['short', (index) => `,"k${index.toString(36)}":0`],
  ['numbers', (index) => `,"${index}":0`],
  ['numbers far apart', (index) => `,"${(index * 2_654_435_761) % 4_294_967_295}":0`],
  ['numbers from behind', (index) => `,"${4_000_000_000 - index * 7}":0`],
  ['the same', () => ',"a":0'],
  ['escaped', (index) => `,"\\u006b${index.toString(36)}":0`],
  ['escaped quotes', (index) => `,"\\"${index}\\\\":0`],
  ['with blanks', (index) => ` , "k${index}" : 0`],
  ['holding objects', (index) => `,"k${index}":{}`],
  ['spelling __proto__ nearly', (index) => `,"__prot${index}__":0`]
]

t.test('a body of more members and items than can be read in passing is refused before it is parsed', async (t) => {
  for (const [what, piece] of keys) {
    const body = Buffer.from(filled('{"a":0', piece, '}'))
    const before = process.cpuUsage()
    t.match(parseJsonBody(body), {
      ok: false, rejection: { status: 400, code: -32600, message: /more than 50000 members and items/ }
    }, what)
    t.ok(process.cpuUsage(before).user < 500_000, `${what}: ${process.cpuUsage(before).user} µs`)
  }
  for (const piece of [',0', ',{}', ',[]', ',""', ',{"k":0}', ',null', ', 1.5e300']) {
    t.match(parseJsonBody(Buffer.from(filled('[0', () => piece, ']'))), { ok: false, rejection: { code: -32600 } }, piece)
  }
})

t.test('up to that many it is read, whatever they are, and in a bounded time', async (t) => {
  for (const [what, piece] of keys) {
    const body = Buffer.from(filled('{"a":0', piece, '}', Math.floor(maxParts / 4)))
    const before = process.cpuUsage()
    const parsed = parseJsonBody(body)
    t.ok(parsed.ok, what)
    t.ok(process.cpuUsage(before).user < 1_000_000, `${what}: ${process.cpuUsage(before).user} µs`)
  }
  // One bracket, and so many commas.
  t.ok(parseJsonBody(Buffer.from(`[${'0,'.repeat(maxParts - 1)}0]`)).ok)
  t.notOk(parseJsonBody(Buffer.from(`[${'0,'.repeat(maxParts)}0]`)).ok)
})

t.test('what is long and not many is read as before: numbers, texts, escapes, brackets and quotes in texts', async (t) => {
  const length = limitBytes - 100
  for (const text of [
    '1'.repeat(length), `0.${'1'.repeat(length)}`, `1e${'1'.repeat(length)}`, `"${'x'.repeat(length)}"`, `"${'[{,:'.repeat(length / 4)}"`,
    `"${'\\\\'.repeat(length / 2)}"`, `"${'\\"'.repeat(length / 2)}"`, `"${'\\u0061'.repeat(length / 6)}"`, `"${'é'.repeat(length / 2)}"`, `{"${'k'.repeat(length)}":1}`
  ]) {
    const body = Buffer.from(text)
    const before = process.cpuUsage()
    t.ok(parseJsonBody(body).ok, text.slice(0, 8))
    t.ok(process.cpuUsage(before).user < 1_000_000)
  }
  t.notOk(parseJsonBody(Buffer.from(`"${'\\'.repeat(length + 1)}"`)).ok, 'a text that does not end')
})

t.test('over the wire it is 400 and the server goes on', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })
  const many = filled('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"observe","arguments":{"a":0', (index) => `,"k${index.toString(36)}":0`, '}}}')

  const reply = await wire.post(many)
  t.equal(reply.status, 400)
  t.match(reply.json(), { error: { code: -32600, message: /members and items/ } })
  t.equal((await wire.modern('tools/list')).status, 200)
})
