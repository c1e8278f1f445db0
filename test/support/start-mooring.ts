import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import { fixedDevices } from '../../src/devices/device-source.ts'
import { createMooring, type Mooring, type MooringParts } from '../../src/mooring/create-mooring.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { fakePool } from './fake-driver.ts'
import { scratchConfig } from './start-test-app.ts'

export interface TestMooringOptions extends Partial<Omit<MooringParts, 'config' | 'sources'>> {
  readonly flags?: readonly string[]
  readonly phones?: readonly DeviceDriver[]
  /** False leaves it to the test. */
  readonly start?: boolean
}

/** The engine without any ingress, over fake phones and a state directory of its own; both go with the test. */
export async function startMooring (
  t: Parameters<typeof scratchConfig>[0], { flags = [], phones = fakePool(1), start = true, ...parts }: TestMooringOptions = {}
): Promise<Mooring> {
  const mooring = createMooring({
    config: await scratchConfig(t, flags),
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    sources: [fixedDevices(phones)],
    ...parts
  })
  t.teardown(async () => await mooring.stop())
  if (start) await mooring.start()
  return mooring
}
