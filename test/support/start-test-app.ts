import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Admission } from '../../plugins/admission.ts'
import type { Places } from '../../plugins/places.ts'
import { nameCallers } from '../../scripts/support/named-callers.ts'
import { buildApp, type App, type AppParts } from '../../src/app.ts'
import { loadConfig, type Config } from '../../src/config/load-config.ts'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { Mooring } from '../../src/mooring/create-mooring.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'

/** The program, with what tests look at within reach. */
export interface TestedApp extends App, Pick<Mooring, 'bus' | 'listenStreams' | 'slices' | 'mcp'> {
  readonly admission: Admission & Pick<Places, 'inFlight' | 'idle'>
}

export interface TestApp {
  readonly app: TestedApp
  readonly config: Config
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

type TestParts = Partial<Pick<AppParts, 'clock' | 'scheduler' | 'ids' | 'offer' | 'catalog' | 'beforeRoutes' | 'connectDevices'>>

export interface TestAppOptions extends TestParts {
  readonly flags?: readonly string[]
  /** So many virtual Android phones, or these; without it, what the settings say. */
  readonly phones?: number | readonly DeviceDriver[]
  /** The name of a caller that gives none. */
  readonly unnamed?: string
  /** False leaves the server in its start-up. */
  readonly startUp?: boolean
}

interface Teardown { teardown (work: () => Promise<void>): void }

/**
 * A whole server on a free port, with a state directory of its own; both go with the test.
 *
 * There is one token. A caller that has it may take any name by the header `x-caller`, and is
 * another principal under each.
 */
export async function startTestApp (
  t: Teardown, { flags = [], phones, unnamed, startUp = true, ...parts }: TestAppOptions = {}
): Promise<TestApp> {
  const logDestination = new PassThrough()
  const lines: string[] = []
  logDestination.on('data', (line: Buffer) => lines.push(line.toString()))
  const config = await scratchConfig(t, [...phoneFlags(phones), ...flags])
  const app = await buildApp({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    logDestination,
    authenticator: (token) => nameCallers(token, unnamed),
    ...(typeof phones === 'object' ? { connectDevices: async () => phones } : {}),
    ...parts
  })
  t.teardown(async () => await app.close())

  await app.listen({ host: config.server.host, port: config.server.port })
  if (startUp) await app.startUp()
  const { bus, listenStreams, slices, mcp } = app.mooring
  const { admission, places } = app.http
  return {
    app: Object.assign(app, { admission: gate(admission, places), bus, listenStreams, slices, mcp }),
    config,
    port: portOf(app.server),
    url: `http://127.0.0.1:${portOf(app.server)}/mcp`,
    stateDir: config.stateDir,
    tokenFile: config.server.tokenFile,
    token: async () => (await readFile(config.server.tokenFile, 'utf8')).trim(),
    log: () => lines.join('')
  }
}

/** The settings of a server with a state directory of its own, which goes with the test. */
export async function scratchConfig (t: Teardown, flags: readonly string[] = []): Promise<Config> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.teardown(async () => await rm(stateDir, { recursive: true, force: true }))
  // The mooring.yaml of the user that runs the tests is no concern of theirs, so they have a home of their own.
  return loadConfig({ argv: ['--port', '0', '--state-dir', stateDir, ...flags], env: { HOME: stateDir }, cwd: stateDir })
}

export function portOf (server: { address (): { readonly port: number } | string | null }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Both as one, which is all that tests ask of them. */
function gate (admission: Admission, places: Places): TestedApp['admission'] {
  return {
    get state () { return admission.state },
    get inFlight () { return places.inFlight },
    drain: admission.drain,
    idle: places.idle
  }
}

function phoneFlags (phones: TestAppOptions['phones']): readonly string[] {
  return typeof phones === 'number' ? ['--devices-virtual-android', String(phones), '--devices-virtual-ios', '0'] : []
}
