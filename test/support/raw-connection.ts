import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawReply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawConnection {
  readonly socket: Socket
  send (bytes: string | Buffer): void
  /** The next final answer, or `undefined` when the server closes the connection without one. */
  next (): Promise<RawReply | undefined>
  /** Closes it the rude way, with a reset. */
  reset (): void
}

/** A connection to a server on this machine over which any bytes can go, and answers come back parsed. */
export async function rawConnection (port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  let isClosed = false
  const waiting: Array<() => void> = []
  const wake = (): void => { for (const resolve of waiting.splice(0)) resolve() }
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => { received += text; wake() })
  socket.on('error', () => {})
  socket.on('close', () => { isClosed = true; wake() })

  return {
    socket,
    send: (bytes) => { socket.write(bytes) },
    async next () {
      for (;;) {
        const taken = takeReply(received, isClosed)
        if (taken !== undefined) {
          received = taken.rest
          if (taken.reply.status >= 200) return taken.reply
        } else if (isClosed) {
          return undefined
        } else {
          await new Promise<void>((resolve) => waiting.push(resolve))
        }
      }
    },
    reset: () => { socket.resetAndDestroy() }
  }
}

function takeReply (text: string, isComplete: boolean): { reply: RawReply, rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
  const taken = takeBody(text.slice(end + 4), status, headers, isComplete)
  if (taken === undefined) return undefined
  // One character was one byte until here, so that lengths count bytes.
  return { reply: { status, headers, body: Buffer.from(taken.body, 'latin1').toString() }, rest: taken.rest }
}

function takeBody (
  text: string, status: number, headers: Readonly<Record<string, string>>, isComplete: boolean
): { body: string, rest: string } | undefined {
  const declared = headers['content-length']
  if (status < 200 || status === 204 || status === 304) return { body: '', rest: text }
  if (declared !== undefined) {
    const length = Number(declared)
    return text.length < length ? undefined : { body: text.slice(0, length), rest: text.slice(length) }
  }
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(text)
  return isComplete ? { body: text, rest: '' } : undefined
}

function takeChunks (text: string): { body: string, rest: string } | undefined {
  let body = ''
  let at = 0
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const length = Number.parseInt(text.slice(at, lineEnd), 16)
    const start = lineEnd + 2
    if (text.length < start + length + 2) return undefined
    if (length === 0) return { body, rest: text.slice(start + 2) }
    body += text.slice(start, start + length)
    at = start + length + 2
  }
}

/** The head and body of a POST to the MCP endpoint, with whatever further header lines. */
export function rawPost (token: string, body: string | Buffer, lines: readonly string[] = []): Buffer {
  const head = [
    'POST /mcp HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, 'Content-Type: application/json', ...lines,
    `Content-Length: ${Buffer.byteLength(body)}`
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
}
