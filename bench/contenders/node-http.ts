import { once } from 'node:events'
import { createServer } from 'node:http'
import { fastestForm, repeatedType, type ContenderSetup, type StartedContender } from './contender.ts'
import { portOf } from './port.ts'

/** Reads each request to its end, and answers what it was given. */
export async function startNodeHttp ({ answers }: ContenderSetup): Promise<StartedContender> {
  const bodies = new Map(Object.entries(answers).map(([path, text]) => [path, fastestForm(text)]))
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      const body = bodies.get(request.url ?? '') ?? ''
      response.writeHead(200, { 'content-type': repeatedType, 'content-length': Buffer.byteLength(body) }).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: portOf(server),
    async close () {
      server.closeAllConnections()
      server.close()
    }
  }
}
