/**
 * How long a clean phone lies about while others wait for it: from the end of its cleanup to
 * the next grant on it. Seen from inside the server, since clients see answers in another order.
 */
import { Writable } from 'node:stream'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import { sample, since, type Sample } from './core-time.ts'

export interface Handover {
  readonly tookMs: number
  /** Without the time in which others had the core; undefined where the system does not tell. */
  readonly ownMs: number | undefined
}

export interface HandoverWatch {
  /** The same driver, watched. */
  watch (driver: DeviceDriver): DeviceDriver
  /** Reads the server's log, which has a line for each grant. */
  readonly log: Writable
  readonly handovers: readonly Handover[]
  /** Forgets those so far: code that has hardly run yet is slow. */
  forget (): void
}

export function watchHandovers (): HandoverWatch {
  const cleanSince = new Map<string, Sample>()
  const handovers: Handover[] = []

  function noteGrant (device: string): void {
    const before = cleanSince.get(device)
    cleanSince.delete(device)
    if (before === undefined) return
    const { wholeMs: tookMs, waitedMs } = since(before, sample())
    handovers.push({ tookMs, ownMs: waitedMs === undefined ? undefined : tookMs - waitedMs })
  }

  return {
    handovers,
    forget () { handovers.length = 0 },
    watch: (driver) => ({
      ...driver,
      async restoreHome (command) {
        const done = await driver.restoreHome(command)
        cleanSince.set(driver.description.id, sample())
        return done
      }
    }),
    log: new Writable({
      write (line: Buffer, _encoding, done) {
        const text = line.toString()
        if (text.includes('"lease granted"')) noteGrant(String(/"device":"([^"]+)"/.exec(text)?.[1]))
        done()
      }
    })
  }
}
