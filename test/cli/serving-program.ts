/**
 * The `mooring` command with a small HTTP server for an app, so that tests can see what it does
 * to a real process. `APP` says what goes wrong with it.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { runCommand } from '../../src/cli/run-command.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'

const { APP } = process.env
const never = new Promise<void>(() => {})

process.exitCode = await runCommand({
  sources: { argv: process.argv.slice(2) },
  process,
  clock: systemClock,
  ids: randomIds,
  scheduler: systemScheduler,
  async buildApp () {
    const server = createServer((_request, response) => response.end('served'))
    return {
      server,
      leases: { devices: async () => [] },
      log: { fatal: (_facts, message) => process.stderr.write(`{"msg":"${message}"}\n`) },
      async listen ({ host, port }) {
        server.listen({ host, port })
        await once(server, 'listening')
        return 'listening'
      },
      async startUp () {
        if (APP === 'hangs-at-start') {
          process.stdout.write('starting up\n')
          await never
        }
        if (APP === 'throws') setImmediate(() => { throw new Error('thrown in a callback') })
        if (APP === 'rejects') setImmediate(() => { Promise.reject(new Error('rejected and not handled')) })
      },
      async close () {
        if (APP === 'hangs-at-stop') await never
        server.closeAllConnections()
        server.close()
      }
    }
  }
})
