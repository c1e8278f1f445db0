/** A gateway that watches itself: its event loop, and its phones from hand to hand. */
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { createVirtualPhones } from '../../src/devices/virtual/virtual-phones.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { nameCallers } from '../support/named-callers.ts'
import { watchHandovers, type Handover } from './handovers.ts'
import { watchLoop, type LoopReport } from './loop-watch.ts'
import { nothing } from './trivial-tool.ts'

/** `warm` says that every client has had its turn: what was before is not counted. Each is answered. */
export type GatewayOrder = 'warm' | 'report'

export interface GatewayReport {
  readonly loop: LoopReport
  readonly handovers: readonly Handover[]
}

async function main (): Promise<void> {
  const watch = watchHandovers()
  const config = loadConfig({ argv: process.argv.slice(2), env: {}, cwd: process.cwd() })
  const app = await buildApp({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    logDestination: watch.log,
    authenticator: (token) => nameCallers(token),
    offer: (pool) => ({ ...pool, tools: [...pool.tools, nothing] }),
    connectDevices: async () => createVirtualPhones({
      settings: config.devices.virtual, clock: systemClock, scheduler: systemScheduler, ids: randomIds
    }).map(watch.watch)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await app.startUp()
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port')

  // Starting is not what is measured.
  const loop = watchLoop(systemScheduler)
  process.on('message', (order: GatewayOrder) => {
    if (order === 'warm') watch.forget()
    const report: GatewayReport = { loop: loop(), handovers: watch.handovers }
    process.send?.(report)
  })
  process.once('disconnect', () => process.exit(1))
  console.log(`ready at http://127.0.0.1:${address.port}/mcp`)
}

await main()
