import fp from 'fastify-plugin'
import { parseJsonBody } from '../src/protocol/json-body.ts'
import { invalidJson, sendHttpError } from './http-error.ts'

/** Parses bodies outside MCP, as strictly as those of MCP: from here on `request.body` is a JSON value. */
export default fp(async function plainJson (fastify) {
  fastify.addHook('preValidation', (request, reply, done) => {
    const parsed = parseJsonBody(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    if (!parsed.ok) {
      const { error, ...help } = invalidJson
      sendHttpError(reply, 400, request.routeOptions.config.hasBareErrors === true ? { error } : { error, ...help })
      return
    }
    request.body = parsed.value
    done()
  })
}, { name: 'plain-json', fastify: '5.x', dependencies: ['body'] })
