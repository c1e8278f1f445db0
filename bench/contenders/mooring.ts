import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { offeredTools } from '../offered-tools.ts'
import type { ContenderSetup, StartedContender } from './contender.ts'
import { portOf } from './port.ts'

const roomForStreams = ['--subscriptions-max-streams', '10000', '--subscriptions-max-streams-per-principal', '10000']

/** The whole server with its default settings; only what it offers and how many streams it allows is changed. */
export async function startMooring ({ toolCount }: ContenderSetup): Promise<StartedContender> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-bench-'))
  const config = loadConfig({ argv: ['--port', '0', '--state-dir', stateDir, ...roomForStreams], env: {}, cwd: stateDir })
  const app = await buildApp({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    logDestination: new Writable({ write: (_line, _encoding, done) => done() }),
    offer: (pool) => ({ ...pool, tools: offeredTools(toolCount), tells: ['tools'] })
  })
  await app.listen({ host: config.server.host, port: config.server.port })
  await app.startUp()

  return {
    port: portOf(app.server),
    token: (await readFile(config.server.tokenFile, 'utf8')).trim(),
    streams: {
      publish: () => app.mooring.bus.publish('global', { type: 'list', list: 'tools' }),
      count: () => app.mooring.listenStreams.streams
    },
    async close () {
      await app.close()
      await rm(stateDir, { recursive: true, force: true })
    }
  }
}
