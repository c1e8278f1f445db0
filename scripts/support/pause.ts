// The timers of `systemScheduler` keep no process alive. Between two gateways nothing else does.
// eslint-disable-next-line no-restricted-syntax
import timers from 'node:timers/promises'

/** Lets time pass. */
export async function pause (delayMs: number): Promise<void> {
  await timers.setTimeout(delayMs)
}
