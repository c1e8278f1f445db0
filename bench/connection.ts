/**
 * One keep-alive connection that sends ready-made bytes and counts what comes back.
 *
 * Own code rather than a load tool: the generator shares two cores with what it measures, so it
 * must cost little, and it has to count every request it started, because processor time is
 * divided by that number. Tools that stop at a point in time leave some uncounted.
 */
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  /** Head and body together. */
  readonly bytes: number
}

export interface Connection {
  /** Sends a request; the one before must have been answered. */
  send (request: Buffer, answered: (answer: Answer) => void): void
  close (): void
}

const nothing: Buffer = Buffer.alloc(0)
const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** `failed` is told once when the connection breaks. */
export async function openConnection (port: number, failed: (error: Error) => void): Promise<Connection> {
  const socket = await connected(port)
  let answered: ((answer: Answer) => void) | undefined
  let head: Buffer = nothing
  let reading: { status: number, isComplete (chunk: Buffer): boolean } | undefined
  let bytes = 0

  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    let body: Buffer | undefined = chunk
    if (reading === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      const end = head.indexOf(headEnd)
      if (end === -1) return
      body = head.subarray(end + headEnd.length)
      reading = readHead(head.toString('latin1', 0, end))
    }
    if (!reading.isComplete(body)) return
    const answer = { status: reading.status, bytes }
    const deliver = answered
    head = nothing
    reading = undefined
    answered = undefined
    bytes = 0
    if (deliver === undefined) failed(new Error('an answer came without a request'))
    else deliver(answer)
  })
  socket.on('error', failed)
  socket.on('close', () => failed(new Error('the server closed a connection')))

  return {
    send (request, whenAnswered) {
      answered = whenAnswered
      socket.write(request)
    },
    close () {
      socket.removeAllListeners('close')
      socket.destroy()
    }
  }
}

function connected (port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function readHead (head: string): { status: number, isComplete (chunk: Buffer): boolean } {
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    let missing = Number(length)
    return { status, isComplete: (chunk) => (missing -= chunk.length) <= 0 }
  }
  // Nothing follows an answer before the next request, so it ends where its last chunk does.
  let tail: Buffer = nothing
  return {
    status,
    isComplete (chunk) {
      tail = Buffer.concat([tail, chunk]).subarray(-lastChunk.length)
      return tail.equals(lastChunk)
    }
  }
}
