/**
 * `test/published/<revision>.json`: what a client of each revision is told of what there is, by
 * a server with its usual settings.
 *
 * It is asked for over HTTP, as any client asks, so that nothing between a definition and the
 * wire is left out. The version of the server is not in it, so that a release changes nothing.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { legacyVersions, modernVersion } from '../src/protocol/versions.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { randomIds } from '../src/runtime/ids.ts'
import { systemScheduler } from '../src/runtime/scheduler.ts'
import { wideJson } from './support/wide-json.ts'

const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']
const clientInfo = { name: 'mooring-scripts', version: '1' }

interface Server {
  readonly url: string
  readonly token: string
}

/** The files, by their paths from the root of the package. */
export async function publishedLists (): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-published-'))
  const config = loadConfig({
    argv: ['--port', '0', '--state-dir', join(folder, 'state'), '--log-level', 'silent'], env: { HOME: folder }, cwd: folder
  })
  const app = await buildApp({ config, clock: systemClock, scheduler: systemScheduler, ids: randomIds })
  try {
    const address = await app.listen({ host: config.server.host, port: config.server.port })
    await app.startUp()
    const server = { url: `${address}/mcp`, token: (await readFile(config.server.tokenFile, 'utf8')).trim() }
    const files = new Map([[modernVersion, await toldNow(server)]])
    for (const version of legacyVersions) files.set(version, await toldBefore(server, version))
    return Object.fromEntries([...files].map(([version, told]) => [`test/published/${version}.json`, wideJson(told)]))
  } finally {
    await app.close()
    await rm(folder, { recursive: true })
  }
}

async function toldNow (server: Server): Promise<object> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': clientInfo
  }
  const told: Record<string, unknown> = {}
  for (const method of ['server/discover', ...lists]) told[method] = await ask(server, modernVersion, method, { _meta })
  return told
}

async function toldBefore (server: Server, version: string): Promise<object> {
  const told: Record<string, unknown> = {}
  told['initialize'] = await ask(server, version, 'initialize', { protocolVersion: version, capabilities: {}, clientInfo })
  for (const method of lists) told[method] = await ask(server, version, method, {})
  return told
}

async function ask ({ url, token }: Server, version: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': version,
      'mcp-method': method
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  })
  const { result } = await response.json() as { readonly result?: unknown }
  if (result === undefined) throw new Error(`${method} of ${version} was answered ${response.status} and no result`)
  return JSON.parse(JSON.stringify(result, withoutVersion))
}

/** The version of the server, which every release changes, is left out. */
function withoutVersion (name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !/serverInfo$/.test(name)) return value
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== 'version'))
}
