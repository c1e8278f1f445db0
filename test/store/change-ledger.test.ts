import SqliteDatabase from 'better-sqlite3'
import t from 'tap'
import type { Change, ChangeLedger } from '../../src/leases/cleanup/change-ledger.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { grantEvent } from '../support/lease-events.ts'
import { memoryChangeLedger } from '../support/memory-change-ledger.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { openTestStore } from '../support/open-test-store.ts'
import { scratchFile } from '../support/scratch-file.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'

const locale: Change = { kind: 'locale', target: '', before: 'en-US' }
const all: readonly Change[] = [
  locale,
  { kind: 'erase', target: '', before: null },
  { kind: 'location', target: '', before: { latitude: -1.5, longitude: 2 } },
  { kind: 'network', target: '', before: { wifi: true, data: false, airplane: false } },
  { kind: 'app', target: 'a.b', before: 'home' },
  { kind: 'permission', target: 'a.b camera', before: 'ask' },
  { kind: 'orientation', target: '', before: 'portrait' }
]

async function grant (leases: LeaseStore, deviceId: string) {
  await leases.enroll([deviceId])
  const granted = await leases.change(grantEvent(deviceId, `ls_${deviceId}`))
  return { deviceId, fence: granted?.device.fence ?? 0 }
}

function contract (name: string, open: (t: { teardown (work: () => unknown): void }) => Promise<{ readonly leases: LeaseStore, readonly ledger: ChangeLedger }>) {
  const changesOf = async (ledger: ChangeLedger, deviceId: string) => (await ledger.changesOf(deviceId)).map(({ change }) => change)

  t.test(`${name}: changes come back as they were written, the newest first, each device's own`, async (t) => {
    const { leases, ledger } = await open(t)
    const by = await grant(leases, 'phone-1')
    const other = await grant(leases, 'phone-2')

    for (const change of all) t.equal(await ledger.record(change, by), true)
    await ledger.record(locale, other)

    t.strictSame(await changesOf(ledger, 'phone-1'), [...all].reverse())
    t.strictSame(await changesOf(ledger, 'phone-2'), [locale])
    t.strictSame(await changesOf(ledger, 'phone-3'), [])
  })

  t.test(`${name}: a thing is written once, as it was first`, async (t) => {
    const { leases, ledger } = await open(t)
    const by = await grant(leases, 'phone-1')
    await ledger.record(locale, by)

    t.equal(await ledger.record({ kind: 'locale', target: '', before: 'de-DE' }, by), true)
    await ledger.record({ kind: 'app', target: 'a.b', before: 'absent' }, by)
    await ledger.record({ kind: 'app', target: 'a.c', before: 'absent' }, by)

    t.strictSame(await changesOf(ledger, 'phone-1'), [
      { kind: 'app', target: 'a.c', before: 'absent' }, { kind: 'app', target: 'a.b', before: 'absent' }, locale
    ])
  })

  t.test(`${name}: a change that is undone is forgotten, and no other`, async (t) => {
    const { leases, ledger } = await open(t)
    const by = await grant(leases, 'phone-1')
    for (const change of all) await ledger.record(change, by)
    const [newest, ...others] = await ledger.changesOf('phone-1')

    await ledger.remove(newest?.id ?? 0)
    await ledger.remove(newest?.id ?? 0)

    t.strictSame(await ledger.changesOf('phone-1'), others)
  })

  t.test(`${name}: only the latest lease of the device writes`, async (t) => {
    const { leases, ledger } = await open(t)
    const by = await grant(leases, 'phone-1')
    await leases.change({ type: 'end', ...by, handle: 'ls_phone-1', reason: 'released', nowMs: 1 })

    t.equal(await ledger.record(locale, by), false)
    t.equal(await ledger.record(locale, { ...by, deviceId: 'phone-2' }), false)
    t.strictSame(await changesOf(ledger, 'phone-1'), [])
    t.equal(await ledger.record(locale, { ...by, fence: by.fence + 1 }), true)
  })
}

contract('memory', async () => {
  const leases = memoryLeaseStore()
  return { leases, ledger: memoryChangeLedger(leases) }
})

contract('SQLite', async (t) => {
  const store = openSqliteStore({ file: scratchFile(t) })
  t.teardown(() => store.close())
  return { leases: store.leases, ledger: store.changes }
})

const database = await createTestDatabase()
t.teardown(() => database.drop())

contract('Postgres', async (t) => {
  await database.empty()
  const store = await openTestStore(database.url)
  t.teardown(() => store.close())
  return { leases: store.leases, ledger: store.changes }
})

t.test('SQLite: what was written is there after opening again, and a row that makes no sense is an error', async (t) => {
  const file = scratchFile(t)
  const first = openSqliteStore({ file })
  const by = await grant(first.leases, 'phone-1')
  for (const change of all) await first.changes.record(change, by)
  const written = await first.changes.changesOf('phone-1')
  await first.close()

  const second = openSqliteStore({ file })
  t.strictSame(await second.changes.changesOf('phone-1'), written)
  await second.close()

  const client = new SqliteDatabase(file)
  client.prepare("UPDATE changes SET kind = 'invented' WHERE kind = 'locale'").run()
  client.close()
  const third = openSqliteStore({ file })
  t.teardown(() => third.close())
  await t.rejects(third.changes.changesOf('phone-1'), { name: 'ZodError' })
})
