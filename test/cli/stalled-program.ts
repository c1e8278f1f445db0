/** A process whose event loop stands still, with a watchdog; its argument says what happened before. */
import { startStallWatchdog } from '../../src/cli/stall-watchdog.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'

const watchdog = startStallWatchdog({ scheduler: systemScheduler, afterMs: process.argv[2] === 'stalled' ? 400 : 60_000 })
if (process.argv[2] === 'stopping') watchdog.endWithin(200)
if (process.argv[2] === 'idle') {
  const untilMs = systemClock.monotonicMs() + 1_500
  while (systemClock.monotonicMs() < untilMs) await new Promise(setImmediate)
  await watchdog.stop()
} else {
  process.on('SIGTERM', () => { process.exit(0) })
  process.stdout.write('stuck')
  for (;;);
}
