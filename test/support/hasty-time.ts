import type { Clock } from '../../src/runtime/clock.ts'
import type { Scheduler } from '../../src/runtime/scheduler.ts'
import { manualTime } from './manual-time.ts'

/** Time that jumps to a timer as soon as everything that can run without it has run. */
export function hastyTime (): { readonly clock: Clock, readonly scheduler: Scheduler } {
  const { clock, scheduler, advance } = manualTime()
  return {
    clock,
    scheduler: {
      after (delayMs, work) {
        const cancel = scheduler.after(delayMs, work)
        setImmediate(() => advance(delayMs))
        return cancel
      },
      every: () => { throw new Error('hasty time would never end') }
    }
  }
}
