import { join } from 'node:path'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type {} from '@fastify/swagger'
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
