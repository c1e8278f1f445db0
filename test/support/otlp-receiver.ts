import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'

export interface OtlpReceiver {
  /** To configure as the endpoint. */
  readonly endpoint: string
  /** Every POST so far. */
  readonly posts: ReadonlyArray<{ readonly path: string, readonly headers: IncomingHttpHeaders, readonly body: string }>
  /** Resolves at the next POST. */
  next (): Promise<void>
  /** The spans of all POSTs in JSON, as OTLP writes them, with plain attributes. */
  spans (): any[]
  /** The data points of all POSTs in JSON, with the name of their metric. */
  dataPoints (): any[]
}

interface Teardown { teardown (work: () => Promise<void>): void }

export interface Answer {
  readonly status: number
  readonly headers?: OutgoingHttpHeaders
}

/** A collector of OTLP over HTTP on a free port. It answers its posts, from 0 on, as it is told to: undefined is never. */
export async function startOtlpReceiver (t: Teardown, answer: (post: number) => Answer | undefined = () => ({ status: 200 })): Promise<OtlpReceiver> {
  const posts: Array<{ path: string, headers: IncomingHttpHeaders, body: string }> = []
  const arrivals = new EventEmitter()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const given = answer(posts.length)
      posts.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
      if (given !== undefined) response.writeHead(given.status, given.headers).end('{}')
      arrivals.emit('post')
    })
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port')

  function all (path: string): any[] {
    return posts.filter((post) => post.path === path).map(({ body }) => JSON.parse(body))
  }

  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    posts,
    next: async () => { await once(arrivals, 'post') },
    spans: () => all('/v1/traces')
      .flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: plain(span.attributes) })),
    dataPoints: () => all('/v1/metrics')
      .flatMap(({ resourceMetrics }) => resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ name, histogram }) => histogram.dataPoints.map((point: any) => ({ ...point, name, attributes: plain(point.attributes) })))
  }
}

function plain (attributes: Array<{ key: string, value: Record<string, unknown> }>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
