import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { isLive, type Lease } from '../../src/leases/contract/lease.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds, type Ids } from '../../src/runtime/ids.ts'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { leaseBench } from '../support/lease-bench.ts'
import { manualTime } from '../support/manual-time.ts'
import { openStoreAt } from '../support/open-test-store.ts'
import { scratchFile } from '../support/scratch-file.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'

type Said =
  | { readonly did: 'grant', readonly handle: string, readonly deviceId: string, readonly fence: number, readonly principal: string }
  | { readonly did: 'renew', readonly handle: string, readonly expiresAtMs: number }
  | { readonly did: 'release', readonly handle: string }

const script = fileURLToPath(new URL(`./lease-loop${extname(import.meta.url)}`, import.meta.url))

/** Runs the loop over a store and kills it after so many lines. @returns all it has said */
async function runAndKill (place: string, lines: number): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [...process.execArgv, script, place], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const said: Said[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(JSON.parse(line))
    if (said.length === lines) child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  if (signal !== 'SIGKILL') throw new Error(`the loop ended by itself with ${code}`)
  return said
}

/** Somewhere between the first line and well into the work. */
function someLines (ids: Ids): number {
  return 1 + ids.bytes(2).readUInt16BE() % 400
}

async function loseNothing (t: Test, place: string, rounds: number) {
  const fences = new Map<string, number[]>()
  const handles = new Set<string>()

  for (let round = 1; round <= rounds; round++) {
    const lines = someLines(randomIds)
    const said = await runAndKill(place, lines)
    t.comment(`round ${round}: killed after ${lines} lines, ${said.length} were said`)

    const store = await openStoreAt(place)
    const occupancies = await store.leases.occupancies()
    const released = new Set(said.flatMap(({ did, handle }) => did === 'release' ? [handle] : []))
    const wrong: unknown[] = []
    for (const what of said) {
      const lease = await store.leases.lease(what.handle)
      if (lease === undefined || !agrees(lease, what, released)) wrong.push({ what, lease })
    }
    t.strictSame(wrong, [], 'everything said is in the database')

    for (const what of said) {
      if (what.did !== 'grant') continue
      t.notOk(handles.has(what.handle), 'no handle comes twice')
      handles.add(what.handle)
      fences.set(what.deviceId, [...fences.get(what.deviceId) ?? [], what.fence])
    }
    for (const { device } of occupancies) {
      const given = fences.get(device.id) ?? []
      t.strictSame(given, [...new Set(given)].sort((a, b) => a - b), 'fences rise, over all processes')
      t.ok(device.fence >= Math.max(0, ...given))
    }
    for (const { device, lease } of occupancies) {
      t.equal(device.state, { granted: 'leased', awaiting_owner: 'leased', releasing: 'cleaning', ended: undefined, none: 'free' }[lease?.state ?? 'none'])
    }

    const { leases } = await leaseBench({ store: store.leases, phones: fakePool(4), ids: randomIds, time: manualTime(systemClock.nowMs()) })
    // A database elsewhere takes longer than a turn of the event loop.
    do await idle(); while ((await leases.devices()).some(({ state }) => state === 'cleaning'))
    t.strictSame(
      (await leases.list()).map(({ handle }) => handle).sort(),
      occupancies.flatMap(({ lease }) => lease !== undefined && isLive(lease) ? [lease.handle] : []).sort(),
      'the next process goes on with what was granted'
    )
    t.strictSame((await leases.devices()).filter(({ state }) => state !== 'leased' && state !== 'free'), [], 'and has cleaned the rest')
    for (const { handle, holder } of await leases.list()) await leases.release({ handle, holder })
    await leases.stop()
    await store.close()
  }
}

t.test('SQLite: a process killed at any point has lost no lease it acknowledged, and no device has two holders', async (t) => {
  await loseNothing(t, scratchFile(t), 5)
})

t.test('Postgres: a process killed at any point has lost no lease it acknowledged, and no device has two holders', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.drop())
  await loseNothing(t, database.url, 2)
})

function agrees (lease: Lease, what: Said, released: ReadonlySet<string>): boolean {
  switch (what.did) {
    case 'grant':
      // What was not said to be released may have been on the way there.
      return lease.deviceId === what.deviceId && lease.fence === what.fence && lease.holder.principal === what.principal &&
        (released.has(lease.handle) ? lease.state === 'ended' : isLive(lease) || lease.end?.reason === 'released')
    case 'renew':
      return lease.ttlMs === 900_000 && lease.expiresAtMs >= what.expiresAtMs
    case 'release':
      return lease.state === 'ended' && lease.end?.reason === 'released'
  }
}
