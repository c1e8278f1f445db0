/**
 * Signs of life of lease holders that promised them.
 *
 * Requests and answers are those that clients know from the device servers before this one:
 * short errors of one member, and members of the request that say nothing to us are passed
 * over. A lease is named by its handle or by the session key it is bound to. A caller that
 * names another holder's lease, or one that never was, gets the same answer.
 */
import type { FastifyPluginAsync } from 'fastify'
import type {} from '../plugins/bearer-auth.ts'
import body from '../plugins/body.ts'
import type {} from '../plugins/error-handler.ts'
import { sendHttpError } from '../plugins/http-error.ts'
import type {} from '../plugins/mooring.ts'
import plainJson from '../plugins/plain-json.ts'
import type { Holder } from '../src/leases/contract/lease.ts'
import type { LeaseManager } from '../src/leases/contract/lease-manager.ts'
import { hashSessionKey } from '../src/protocol/session-key.ts'
import { strictValidation } from './strict-validation.ts'

export interface HeartbeatOptions {
  readonly bodyLimitBytes: number
}

const missingId = { error: 'Missing sessionId' }
const notFound = { error: 'Session not found' }

const errorSchema = { type: 'object', required: ['error'], properties: { error: { type: 'string' }, releaseReason: { type: 'string', description: 'Why the lease ended, where it was the caller\'s.' } } } as const

const schema = {
  operationId: 'heartbeat',
  summary: 'Say that the holder of a lease is alive',
  tags: ['leases'],
  body: {
    type: 'object',
    required: ['sessionId'],
    properties: { sessionId: { type: 'string', minLength: 1, description: 'The handle of the lease, or the session key it is bound to.' } }
  },
  response: {
    200: { description: 'The lease goes on.', type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
    400: { description: 'The body is no JSON, or `sessionId` is missing.', ...errorSchema },
    404: { description: 'The caller has no such lease, or it is over.', ...errorSchema }
  }
} as const

const heartbeatRoute: FastifyPluginAsync<HeartbeatOptions> = async function heartbeatRoute (fastify, { bodyLimitBytes }) {
  await fastify.register(body, { limitBytes: bodyLimitBytes })
  await fastify.register(plainJson)

  fastify.setValidatorCompiler(strictValidation)

  fastify.post<{ Body: { readonly sessionId: string } }>('/heartbeat', {
    schema, attachValidation: true, config: { hasBareErrors: true }
  }, async (request, reply) => {
    const { principal } = request
    if (principal === null) throw new Error('the ingress let a request without a principal through')
    if (request.validationError !== undefined) return sendHttpError(reply, 400, missingId)
    const beat = await beatFor(request.body.sessionId, { principal: principal.key })
    if (beat === 'ok') return { status: 'ok' }
    return sendHttpError(reply, 404, beat === 'unknown' ? notFound : { ...notFound, releaseReason: beat.ended })
  })

  /** A handle is tried as one first; nothing keeps a session key from looking like one. */
  async function beatFor (sessionId: string, holder: Holder): ReturnType<LeaseManager['heartbeat']> {
    const beat = looksLikeHandle.test(sessionId) ? await fastify.mooring.leases.heartbeat({ handle: sessionId, holder }) : 'unknown'
    if (beat !== 'unknown') return beat
    const sessionKey = hashSessionKey(sessionId)
    return sessionKey === undefined ? 'unknown' : await fastify.mooring.leases.heartbeat({ sessionKey, holder })
  }
}

export default heartbeatRoute

const looksLikeHandle = /^ls_[\w-]{1,61}$/
