import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Adds a step of the start-up proper, which runs after the port is bound: a port that is
     * taken then touches nothing. Steps run in the order in which they were added.
     */
    onStartUp (step: () => Promise<void>): void
    /**
     * Runs the start-up steps; call it once, after `listen`.
     *
     * @throws what a step throws; the server then answers that its start-up failed
     */
    startUp (): Promise<void>
  }
}

/** Lets plugins do what must wait until the port is ours: `fastify.onStartUp`, `fastify.startUp`. */
export default fp(async function lifecycle (fastify) {
  const steps: Array<() => Promise<void>> = []

  fastify.decorate('onStartUp', (step: () => Promise<void>) => {
    steps.push(step)
  })

  fastify.decorate('startUp', async () => {
    try {
      for (const step of steps) await step()
      fastify.admission.open()
    } catch (error) {
      fastify.admission.fail()
      throw error
    }
  })
}, { name: 'lifecycle', fastify: '5.x', dependencies: ['admission'] })
