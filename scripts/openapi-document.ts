import { join } from 'node:path'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { SwaggerTransformObject } from '@fastify/swagger'
import { buildApp } from '../src/app.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { randomIds } from '../src/runtime/ids.ts'
import { packageRoot } from '../src/runtime/package-root.ts'
import { systemScheduler } from '../src/runtime/scheduler.ts'

/** `openapi/openapi.json`: the routes that are not MCP, as the running server has them. */
export async function openapiDocument (): Promise<string> {
  // Seen from a folder that has no mooring.yaml, not even this user's.
  const folder = join(packageRoot, 'openapi')
  const app = await buildApp({
    config: loadConfig({ argv: ['--log-level', 'silent'], env: { HOME: folder }, cwd: folder }),
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    beforeRoutes: describe
  })
  await app.http.ready()
  const document = `${JSON.stringify(app.http.swagger(), null, 2)}\n`
  await app.close()
  return document
}

async function describe (app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    // MCP describes itself.
    transform: ({ schema, url }) => ({ schema: { ...schema, hide: url === '/mcp' }, url }),
    transformObject: (documents) => 'openapiObject' in documents ? withIngress(documents.openapiObject) : documents.swaggerObject,
    refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => typeof $id === 'string' ? $id : `schema-${index}` },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'mooring',
        description: 'Health and state of a mooring server, what its operator can do, and heartbeats. Phones are driven over MCP at /mcp, which OpenAPI does not describe.',
        // The paths are what a change of the interface is about, not every release.
        version: '1'
      },
      security: [{ token: [] }],
      components: {
        securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The content of the token file that the server names when it starts.' } }
      }
    }
  })
}

type Documents = Parameters<SwaggerTransformObject>[0]
type Document = Extract<Documents, { openapiObject: unknown }>['openapiObject']

const refusal = { $ref: '#/components/schemas/Refusal' }

/** What the ingress answers whatever the route: nothing of it is the route's own. */
const ingressResponses = {
  BadRequest: { description: 'The request is not as HTTP has it, or its address has a token in it.', schema: refusal },
  Unauthorized: { description: 'The token is missing, or is not that of this server. `error_description` says what to do, `WWW-Authenticate` what is asked for.', schema: refusal },
  Forbidden: {
    description: '`Host` or `Origin` is not among those that may call.',
    schema: {
      type: 'object',
      required: ['jsonrpc', 'error'],
      properties: {
        jsonrpc: { type: 'string' },
        error: { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' }, data: refusalFacts() } }
      }
    }
  },
  NotFound: { description: 'There is no such path; the answer names those that there are.', schema: refusal },
  MethodNotAllowed: { description: 'The path has other methods, which `Allow` names.', schema: refusal },
  TooLarge: { description: 'The body is larger than `server.bodyLimitBytes`.', schema: refusal },
  UnsupportedType: { description: 'The body is no JSON, or is encoded.', schema: refusal },
  TooMany: { description: 'A limit is reached. `Retry-After` says when to come back.', schema: refusal },
  Unavailable: { description: 'The server is starting or stopping. `Retry-After` says when to come back; a start that has failed has none.', schema: refusal },
  Other: { description: 'Anything else that goes wrong: a request that takes too long (408), headers that are too large (431), a fault of the server (500).', schema: refusal }
} as const

type IngressResponse = keyof typeof ingressResponses

const ofEveryRoute: Readonly<Record<string, IngressResponse>> = {
  400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed', 429: 'TooMany', 503: 'Unavailable', default: 'Other'
}
const ofEveryBody: Readonly<Record<string, IngressResponse>> = { 413: 'TooLarge', 415: 'UnsupportedType' }

/** Adds the answers of the ingress to each operation that says nothing of its own for their status. */
function withIngress (document: Document): Document {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path ?? {})) {
      if (typeof operation !== 'object' || !('responses' in operation) || operation.responses === undefined) continue
      const added = { ...ofEveryRoute, ...('requestBody' in operation ? ofEveryBody : {}) }
      for (const [status, name] of Object.entries(added)) operation.responses[status] ??= { $ref: `#/components/responses/${name}` }
    }
  }
  const responses = Object.fromEntries(Object.entries(ingressResponses).map(([name, { description, schema }]) => [
    name, { description, content: { 'application/json': { schema } } }
  ]))
  return { ...document, components: { ...document.components, responses } } as Document
}

function refusalFacts () {
  return {
    type: 'object',
    properties: { code: { type: 'string' }, retryable: { type: 'boolean' }, nextAction: { type: 'string' } }
  } as const
}
