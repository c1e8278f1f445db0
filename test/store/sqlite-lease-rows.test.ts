import SqliteDatabase from 'better-sqlite3'
import t from 'tap'
import { createLeaseStore } from '../../src/leases/create-lease-store.ts'
import { openDatabase } from '../../src/store/sqlite/open-database.ts'
import { createSqliteLeaseRows } from '../../src/store/sqlite/sqlite-lease-rows.ts'
import { grantEvent } from '../support/lease-events.ts'
import { scratchFile } from '../support/scratch-file.ts'

const grant = grantEvent('a', 'ls_1', { nowMs: 0 })
const extend = { type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: 1, by: 'look', isVetoed: false } as const

t.test('the connection is durable, exclusive and checks its references', (t) => {
  const client = openDatabase(scratchFile(t))
  t.teardown(() => client.close())
  const setting = (name: string) => client.pragma(name, { simple: true })

  t.strictSame([setting('synchronous'), setting('locking_mode'), setting('journal_mode'), setting('foreign_keys')], [2, 'exclusive', 'wal', 1])
  t.end()
})

t.test('only moves of an expiry that were never promised are spared the fsync', async (t) => {
  const file = scratchFile(t)
  openDatabase(file).close()
  const statements: string[] = []
  const client = new SqliteDatabase(file, { verbose: (sql) => { statements.push(String(sql)) } })
  t.teardown(() => client.close())
  client.pragma('synchronous = FULL')
  const store = createLeaseStore(createSqliteLeaseRows(client))
  await store.enroll(['a'])
  const settingsDuring = async (work: () => Promise<unknown>) => {
    statements.length = 0
    await work()
    return statements.flatMap((sql) => /^(PRAGMA synchronous = .*|COMMIT)/i.exec(sql)?.[0] ?? [])
  }

  t.strictSame(await settingsDuring(() => store.change(grant)), ['COMMIT'])
  t.strictSame(await settingsDuring(() => store.change({ ...extend, durable: true })), ['COMMIT'])
  t.strictSame(await settingsDuring(() => store.change({ ...extend, durable: false })), [
    'PRAGMA synchronous = NORMAL', 'COMMIT', 'PRAGMA synchronous = FULL'
  ])
})

t.test('the database itself refuses a second holder of a device, and a fence used twice', async (t) => {
  const client = openDatabase(scratchFile(t))
  t.teardown(() => client.close())
  const store = createLeaseStore(createSqliteLeaseRows(client))
  await store.enroll(['a'])
  await store.change(grant)
  const copyAs = (handle: string, state: string, fence: number) => client
    .prepare(`INSERT INTO leases (handle, device_id, boot_id, fence, principal, state, granted_at_ms, ttl_ms, expires_at_ms)
      SELECT ?, device_id, boot_id, ?, principal, ?, granted_at_ms, ttl_ms, expires_at_ms FROM leases`)
    .run(handle, fence, state)

  t.throws(() => copyAs('ls_2', 'granted', 2), /UNIQUE/)
  t.throws(() => copyAs('ls_2', 'releasing', 2), /UNIQUE/)
  t.throws(() => copyAs('ls_2', 'ended', 1), /UNIQUE/)
  t.equal(copyAs('ls_2', 'ended', 2).changes, 1)
})

t.test('looking for what is granted, open or old does not walk through the tombstones', async (t) => {
  const file = scratchFile(t)
  openDatabase(file).close()
  const statements: string[] = []
  const client = new SqliteDatabase(file, { verbose: (sql) => { statements.push(String(sql)) } })
  t.teardown(() => client.close())
  const store = createLeaseStore(createSqliteLeaseRows(client))
  await store.enroll(['a'])
  statements.length = 0
  await store.liveLeases()
  await store.occupancies()
  await store.change(grant)
  await store.purgeEnded(0, 10)

  const plans = statements.filter((sql) => /^(select|delete)/.test(sql))
    .flatMap((sql) => client.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map((step) => JSON.stringify(step)))
    .filter((step) => step.includes('leases'))

  t.equal(plans.length, 5)
  for (const plan of plans) t.match(plan, /USING (?:(?:COVERING )?INDEX leases_|INTEGER PRIMARY KEY)/)
})
