import type { Scheduler } from '../../src/runtime/scheduler.ts'
import { manualTime } from './manual-time.ts'

/** Manual time that knows how many of its timers are set. */
export function countedTime (): ReturnType<typeof manualTime> & { readonly timers: () => number } {
  const time = manualTime()
  const set = new Set<object>()
  const scheduler: Scheduler = {
    ...time.scheduler,
    after (delayMs, work) {
      const timer = {}
      set.add(timer)
      const cancel = time.scheduler.after(delayMs, () => {
        set.delete(timer)
        work()
      })
      return () => {
        set.delete(timer)
        cancel()
      }
    }
  }
  return { ...time, scheduler, timers: () => set.size }
}
