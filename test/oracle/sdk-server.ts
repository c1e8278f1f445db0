/** The fixture behind the SDK's own handler: the other side of the comparison. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { completable, createMcpHandler, fromJsonSchema, McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { Test } from 'tap'
import { z } from 'zod'
import { unannounced } from '../../src/mcp/asking.ts'
import { instructions, serverInfo } from '../../src/mcp/server-card.ts'
import type { Era } from '../../src/protocol/versions.ts'
import type { PromptArgument } from '../../src/tools/prompt-definition.ts'
import type { SchemaTool, ToolCall } from '../../src/tools/tool-definition.ts'
import { principal } from '../support/mcp-request.ts'
import { fixture } from './fixture.ts'

/** @returns the port it listens on */
export async function startSdkServer (t: Pick<Test, 'teardown'>): Promise<number> {
  const handler = createMcpHandler(createFixtureServer)
  const handle = toNodeHandler(handler)
  const server = createServer((request, response) => {
    // Its own declarations leave no room for exactOptionalPropertyTypes.
    handle(request as Parameters<typeof handle>[0], response).catch((error: Error) => response.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    await handler.close()
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const notTold = { tools: { listChanged: false }, resources: { listChanged: false }, prompts: { listChanged: false } }

function createFixtureServer ({ era }: { readonly era: Era }): McpServer {
  const server = new McpServer({ ...serverInfo }, {
    capabilities: { completions: {}, logging: {}, ...notTold, ...(era === 'modern' ? { resources: { subscribe: true, listChanged: false } } : {}) },
    instructions,
    // The values are those of the methods in src/mcp, so that whole results can be compared.
    cacheHints: {
      'server/discover': { ttlMs: 300_000, cacheScope: 'public' },
      'tools/list': { ttlMs: 300_000, cacheScope: 'public' },
      'prompts/list': { ttlMs: 300_000, cacheScope: 'public' },
      'resources/templates/list': { ttlMs: 300_000, cacheScope: 'public' },
      'resources/list': { ttlMs: 5_000, cacheScope: 'public' }
    }
  })
  for (const tool of fixture.tools) registerTool(server, tool)
  registerResources(server)
  registerPrompts(server)
  return server
}

function registerTool (server: McpServer, { name, title = name, description, inputSchema, outputSchema, annotations, run }: SchemaTool): void {
  server.registerTool(name, {
    title,
    description,
    inputSchema: fromJsonSchema<Record<string, unknown>>({ ...inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema: fromJsonSchema({ ...outputSchema }) }),
    ...(annotations === undefined ? {} : { annotations })
  }, async (input, context) => {
    const { signal, _meta: meta } = context.mcpReq
    const token = (meta as { progressToken?: string | number } | undefined)?.progressToken
    const sent: Array<Promise<void>> = []
    const call: ToolCall = {
      ...unannounced,
      principal: principal(),
      sessionKey: undefined,
      signal,
      progress: (step) => {
        if (token !== undefined) sent.push(context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, ...step } }))
      },
      log: (level, data) => { sent.push(context.mcpReq.log(level, data, 'mooring')) },
      noteDevice: () => {},
      noteWait: () => {},
      addAside: () => { throw new Error('no tool of the fixture does anything on the side') }
    }
    const result = await run(input, call)
    await Promise.all(sent)
    return result as any
  })
}

/** A caller that nothing in the fixture asks. */
const call = { ...unannounced, principal: principal(), signal: new AbortController().signal }

function registerResources (server: McpServer): void {
  const [still, item] = fixture.resources
  if (still === undefined || item === undefined) throw new Error('the fixture has two kinds of resources')
  server.registerResource(still.name, still.uriTemplate, describe(still), async (uri) => (
    { contents: [{ uri: uri.href, ...await still.read({}, call) }] } as any
  ))
  server.registerResource(item.name, new ResourceTemplate(item.uriTemplate, {
    list: async () => ({ resources: [...await item.list?.() ?? []] }),
    complete: { id: async (value) => (await item.complete?.['id']?.(call) ?? []).filter((id) => id.includes(value)) }
  }), describe(item), async (uri, variables) => {
    const content = await item.read({ id: String(variables['id']) }, call)
    if (content === undefined) throw new ResourceNotFoundError(uri.href)
    return { contents: [{ uri: uri.href, ...content }] }
  })
}

function describe ({ title, description, mimeType }: { title: string, description: string, mimeType: string }) {
  return { title, description, mimeType }
}

function registerPrompts (server: McpServer): void {
  for (const { name, title, description, arguments: taken, content } of fixture.prompts) {
    const messages = async (given: Readonly<Record<string, string>>) => ({
      description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text: String(await content(given, call)) } }]
    })
    if (taken.length === 0) server.registerPrompt(name, { title, description, argsSchema: z.strictObject({}) }, async () => messages({}))
    else server.registerPrompt(name, { title, description, argsSchema: z.strictObject(Object.fromEntries(taken.map((argument) => [argument.name, schemaOf(argument)]))) }, async (given) => messages(given as Record<string, string>))
  }
}

function schemaOf ({ description, required, complete }: PromptArgument): z.ZodType {
  const text = z.string().describe(description)
  const described = complete === undefined
    ? text
    : completable(text, async (value) => (await complete({ principal: principal(), signal: new AbortController().signal })).filter((offered) => offered.toLowerCase().includes(value.toLowerCase())))
  return required ? described : described.optional()
}
