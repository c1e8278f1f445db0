import Fastify from 'fastify'
import { fastestForm, repeatedType, type ContenderSetup, type StartedContender } from './contender.ts'
import { portOf } from './port.ts'

/** Fastify as it comes, with a route for each answer. */
export async function startFastify ({ answers }: ContenderSetup): Promise<StartedContender> {
  const app = Fastify({ forceCloseConnections: true })
  for (const [path, text] of Object.entries(answers)) {
    const body = fastestForm(text)
    app.post(path, (_request, reply) => reply.type(repeatedType).send(body))
  }
  await app.listen({ host: '127.0.0.1', port: 0 })

  return { port: portOf(app.server), close: async () => await app.close() }
}
