import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type {} from '../../plugins/admission.ts'
import type {} from '../../plugins/events.ts'
import type {} from '../../plugins/leases.ts'
import type {} from '../../plugins/lifecycle.ts'
import type {} from '../../plugins/mcp.ts'
import { buildApp, type AppParts } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'

export interface TestApp {
  readonly app: FastifyInstance
  readonly port: number
  /** Of the MCP endpoint. */
  readonly url: string
  readonly stateDir: string
  readonly tokenFile: string
  /** The token as a client finds it; call it after `startUp`. */
  token (): Promise<string>
  /** Everything that was logged so far. */
  log (): string
}

export interface TestAppOptions extends Partial<Pick<AppParts, 'clock' | 'scheduler' | 'ids' | 'offer' | 'beforeRoutes' | 'connectDevices'>> {
  readonly flags?: readonly string[]
  /** False leaves the server in its start-up. */
  readonly startUp?: boolean
}

interface Teardown { teardown (work: () => Promise<void>): void }

/** A whole server on a free port, with a state directory of its own; both go with the test. */
export async function startTestApp (t: Teardown, { flags = [], startUp = true, ...parts }: TestAppOptions = {}): Promise<TestApp> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  const logDestination = new PassThrough()
  const lines: string[] = []
  logDestination.on('data', (line: Buffer) => lines.push(line.toString()))
  // The mooring.yaml of whoever runs the tests is none of their business, so they have a home of their own.
  const config = loadConfig({ argv: ['--port', '0', '--state-dir', stateDir, ...flags], env: { HOME: stateDir }, cwd: stateDir })
  const app = await buildApp({ config, clock: systemClock, scheduler: systemScheduler, ids: randomIds, logDestination, ...parts })
  t.teardown(async () => {
    await app.close()
    await rm(stateDir, { recursive: true, force: true })
  })

  await app.listen({ host: config.server.host, port: config.server.port })
  if (startUp) await app.startUp()
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    app,
    port: address.port,
    url: `http://127.0.0.1:${address.port}/mcp`,
    stateDir,
    tokenFile: config.server.tokenFile,
    token: async () => (await readFile(config.server.tokenFile, 'utf8')).trim(),
    log: () => lines.join('')
  }
}
