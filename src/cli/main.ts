#!/usr/bin/env node
import { whenParentEnds } from './npm-parent.ts'
import { runCommand } from './run-command.ts'
import { startStallWatchdog } from './stall-watchdog.ts'
import { isNpmStart } from '../config/npm-start.ts'
import { systemClock } from '../runtime/clock.ts'
import { randomIds } from '../runtime/ids.ts'
import { systemScheduler } from '../runtime/scheduler.ts'

// A process that runs out of things to wait for before its command has ended has failed.
process.exitCode = 1
process.exitCode = await runCommand({
  sources: { argv: process.argv.slice(2) },
  // Loaded only when it is needed, so that help does not wait for a database driver.
  buildApp: async (options) => await (await import('../app.ts')).buildApp(options),
  process,
  clock: systemClock,
  ids: randomIds,
  scheduler: systemScheduler,
  startWatchdog: () => startStallWatchdog({ scheduler: systemScheduler }),
  ...(isNpmStart() ? { whenOrphaned: (listener) => whenParentEnds(process, systemScheduler, listener) } : {})
})
