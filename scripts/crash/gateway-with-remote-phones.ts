/**
 * A gateway whose phones live elsewhere: what `mooring serve` does, over drivers that only this
 * composition has. Callers are taken at their word, so that leases have different holders.
 */
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { nameCallers } from '../support/named-callers.ts'
import { connectRemotePhones } from './remote-phones.ts'

const [phonesPort, ...argv] = process.argv.slice(2)

const app = await buildApp({
  config: loadConfig({ argv, env: {}, cwd: process.cwd() }),
  clock: systemClock,
  scheduler: systemScheduler,
  ids: randomIds,
  logDestination: process.stderr,
  authenticator: (token) => nameCallers(token),
  connectDevices: async () => await connectRemotePhones(Number(phonesPort))
})
await app.listen({ host: '127.0.0.1', port: 0 })
await app.startUp()
const address = app.server.address()
if (address === null || typeof address === 'string') throw new Error('the gateway has no port')
// The words of the command, so that both are started alike.
console.log(`ready at http://127.0.0.1:${address.port}/mcp`)
