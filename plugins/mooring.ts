import fp from 'fastify-plugin'
import type { Mooring } from '../src/mooring/create-mooring.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The engine behind this ingress; other ingresses may share it. */
    readonly mooring: Mooring
    readonly mcp: Mooring['mcp']
  }
}

export interface MooringOptions {
  readonly mooring: Mooring
}

/** Gives routes the engine: `fastify.mooring`, `fastify.mcp`. */
export default fp<MooringOptions>(async function mooring (fastify, { mooring }) {
  fastify.decorate('mooring', mooring)
  fastify.decorate('mcp', mooring.mcp)
}, { name: 'mooring', fastify: '5.x' })
