import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openConnection, type Answer } from '../../bench/connection.ts'

/** A server that answers whatever comes with these pieces, one after another. */
async function setup (t: Test, pieces: readonly string[]) {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('data', () => { write(socket, pieces) })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  let fail: (error: Error) => void = () => {}
  const failure = new Promise<Error>((resolve) => { fail = resolve })
  const connection = await openConnection(port, fail)
  t.teardown(() => {
    connection.close()
    server.close()
  })
  const send = (): Promise<Answer> => new Promise((resolve) => connection.send(Buffer.from('any'), resolve))
  return { send, failure, sockets }
}

function write (socket: Socket, [piece, ...others]: readonly string[]): void {
  // Each piece in a turn of its own, so that it arrives by itself.
  if (piece !== undefined) socket.write(piece, () => setImmediate(() => write(socket, others)))
}

t.test('an answer with a length is complete with its last byte, however it is cut', async (t) => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world'
  for (const pieces of [[whole], [...whole], [whole.slice(0, 20), whole.slice(20)]]) {
    const { send } = await setup(t, pieces)
    t.same(await send(), { status: 200, bytes: whole.length })
    t.same(await send(), { status: 200, bytes: whole.length }, 'and so is the next one')
  }
})

t.test('an answer in chunks is complete with its last chunk, however it is cut', async (t) => {
  const whole = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'
  for (const pieces of [[whole], [...whole], [whole.slice(0, -3), whole.slice(-3)]]) {
    const { send } = await setup(t, pieces)
    t.same(await send(), { status: 200, bytes: whole.length })
  }
})

t.test('a refusal shows its status', async (t) => {
  const { send } = await setup(t, ['HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n'])
  t.match(await send(), { status: 429 })
})

t.test('a connection that the server closes is a failure', async (t) => {
  const { send, sockets, failure } = await setup(t, ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'])
  await send()
  const [socket] = sockets
  if (socket === undefined) throw new Error('nobody connected')

  socket.destroy()

  t.ok(await failure instanceof Error)
})
