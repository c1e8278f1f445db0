/**
 * A gateway that offers the fixtures of the official suite in front of its own tools.
 *
 * This composition is the only way to them: fixtures live among the tests, no setting, variable
 * or flag of the `mooring` command reaches them, and an installation does not contain them.
 * Under `NODE_ENV=production` it refuses all the same.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { withFixtures } from './fixtures/with-fixtures.ts'

export interface FixtureGateway {
  readonly port: number
  readonly token: string
  close (): Promise<void>
}

/** @throws {Error} in production */
export async function startFixtureGateway (env: NodeJS.ProcessEnv): Promise<FixtureGateway> {
  if (env['NODE_ENV'] === 'production') {
    throw new Error('The fixtures of the conformance suite are not served under NODE_ENV=production. Unset it to run the suite; `mooring serve` is what production starts.')
  }
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-conformance-'))
  const config = loadConfig({ argv: ['--port', '0', '--state-dir', stateDir, '--log-level', 'warn'], env: {}, cwd: stateDir })
  const app: App = await buildApp({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    logDestination: process.stderr,
    offer: (pool) => withFixtures(pool, app.mooring.bus)
  })
  const close = async (): Promise<void> => {
    await app.close()
    await rm(stateDir, { recursive: true, force: true })
  }
  try {
    await app.listen({ host: config.server.host, port: config.server.port })
    await app.startUp()
    const address = app.server.address()
    if (address === null || typeof address === 'string') throw new Error('the gateway has no port')
    return { port: address.port, token: (await readFile(config.server.tokenFile, 'utf8')).trim(), close }
  } catch (error) {
    await close()
    throw error
  }
}
