import { LogController, type FastifyReply, type FastifyRequest } from 'fastify'
import type {} from './envelope.ts'
import { pathOf } from './request-path.ts'
import { traceOf } from './trace.ts'

/**
 * One line for each request, when it has been answered or its caller has left: refusals at info,
 * the rest at debug.
 * No query strings, headers, arguments or results: any of them can hold what is not for a log.
 */
export class RequestLog extends LogController {
  override incomingRequest (): void {}

  override routeNotFound (): void {}

  override requestCompleted (error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const hasFailed = error !== null && error !== undefined
    // Facts are collected only for a line that is written.
    if (!hasFailed && reply.statusCode < 400 && !writesDebugLines(request)) return
    const facts = { ...factsOf(request, reply), status: reply.statusCode }
    if (hasFailed) request.log.error({ ...facts, err: error }, 'request failed')
    else if (reply.statusCode >= 400) request.log.info(facts, 'request refused')
    else request.log.debug(facts, 'request answered')
  }
}

/** The line of a request whose caller left before the answer was sent; nothing completes it then. */
export function logAbandoned (request: FastifyRequest, reply: FastifyReply): void {
  if (writesDebugLines(request)) request.log.debug(factsOf(request, reply), 'request abandoned by its caller')
}

function factsOf (request: FastifyRequest, reply: FastifyReply): object {
  const { incoming, rejection } = request
  return {
    method: request.method,
    path: pathOf(request),
    durationMs: Math.round(reply.elapsedTime * 10) / 10,
    ...(incoming?.kind === 'request' ? { rpc: shortly(incoming.envelope.method), version: shortly(incoming.envelope.version) } : {}),
    ...(rejection === null || rejection === undefined ? {} : { rule: rejection.rule }),
    ...traceOf(request)
  }
}

function writesDebugLines ({ log }: FastifyRequest): boolean {
  return log.level === 'debug' || log.level === 'trace'
}

/** Callers choose it, and how long it is. */
function shortly (text: string): string {
  return text.slice(0, 64)
}
