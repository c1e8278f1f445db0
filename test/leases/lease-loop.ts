// A process that leases, renews, uses and releases for ever, and says so as soon as it has been
// told itself. Made to be killed: what it has said must be in the database afterwards.
import { writeSync } from 'node:fs'
import { fixedDevices } from '../../src/devices/device-source.ts'
import { createLeaseManager } from '../../src/leases/create-lease-manager.ts'
import { leaseSettings } from '../../src/leases/contract/lease-settings.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { fakePool } from '../support/fake-driver.ts'
import { openStoreAt } from '../support/open-test-store.ts'

const [, , place = ''] = process.argv
const store = await openStoreAt(place)
const leases = createLeaseManager({
  store: store.leases,
  ledger: store.changes,
  sources: [fixedDevices(fakePool(4))],
  clock: systemClock,
  scheduler: systemScheduler,
  ids: randomIds,
  settings: leaseSettings.parse({}),
  log: { info () {}, warn () {}, error () {} }
})
await leases.start()

function say (line: object) {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

async function leaseForEver (principal: string) {
  const holder = { principal }
  const signal = new AbortController().signal
  for (;;) {
    const lease = await leases.acquire({ holder, selector: {}, signal }).catch(() => undefined)
    if (lease === undefined) {
      await new Promise((resolve) => systemScheduler.after(1, () => resolve(undefined)))
      continue
    }
    const { handle, deviceId, fence } = lease
    say({ did: 'grant', handle, deviceId, fence, principal })
    const { expiresAtMs } = await leases.renew({ handle, holder, ttlMs: 900_000 })
    say({ did: 'renew', handle, expiresAtMs })
    await leases.use({ handle, holder, signal, kind: 'control' }, async ({ driver }) => await driver.clearText({ fence, signal }))
    await leases.release({ handle, holder })
    say({ did: 'release', handle })
  }
}

// Nothing else keeps the process alive while all of them wait.
process.stdin.resume()
await Promise.all(['ann', 'ben', 'cal'].map(leaseForEver))
