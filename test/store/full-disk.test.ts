/** Databases that take no writes any more while they are open, each brought to it as operators bring it about. */
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { LeaseEvent } from '../../src/leases/contract/lease-machine.ts'
import { storeOn } from '../../src/store/open-store.ts'
import { identityOf } from '../../src/store/sqlite/file-identity.ts'
import { openDatabase } from '../../src/store/sqlite/open-database.ts'
import { grantEvent } from '../support/lease-events.ts'
import { manualTime } from '../support/manual-time.ts'
import { scratchFile } from '../support/scratch-file.ts'

/** A store with a free device `b`, and `a` under a lease. */
async function setup (t: Test, open: (file: string) => Database = openDatabase) {
  const file = scratchFile(t)
  const time = manualTime(0)
  const lines: string[] = []
  const write = (fields: object, message: string) => { lines.push(`${message} ${JSON.stringify(fields)}`) }
  const client = open(file)
  const store = storeOn(client, { identity: identityOf(file), scheduler: time.scheduler, log: { info: write, warn: write, error: write } })
  t.teardown(() => store.close())
  await store.leases.enroll(['a', 'b'])
  await store.leases.change(grantEvent('a', 'ls_1'))
  return { store, client, file, lines, time }
}

/** A change that needs more room than the pages that are there have left. */
const largeChange: LeaseEvent = {
  type: 'hold', deviceId: 'b', hold: { kind: 'block', reason: 'x'.repeat(20_000), by: 'olga', atMs: 1 }, nowMs: 1
}
const notWritable = (problem: RegExp) => ({ code: 'store_not_writable', kind: 'unavailable', retryable: true, retryAfterMs: 5_000, message: problem })
const well = { isAnswering: true, isWritable: true, problem: undefined }

/** Opens a file for as long as the test lasts: to close a descriptor gives up the locks of this process on the file. */
function handleOf (t: Test, file: string): number {
  const handle = openSync(file, 'r+')
  t.teardown(() => closeSync(handle))
  return handle
}

/** As SQLite opens files by itself: any other program may have a part in it. */
function sharedDatabase (file: string): Database {
  openDatabase(file).close()
  const client = new SqliteDatabase(file, { timeout: 0 })
  client.pragma('locking_mode = NORMAL')
  return client
}

t.test('on a full disk changes are refused and may be repeated, reads go on, and there is room again later', async (t) => {
  const { store, client, lines } = await setup(t)
  t.strictSame(await store.health(), well)
  const pages = Number(client.pragma('page_count', { simple: true }))
  client.pragma(`max_page_count = ${pages}`)

  await t.rejects(store.leases.change(largeChange), notWritable(/its disk is full/))
  await t.rejects(store.leases.changeAll([largeChange]), notWritable(/its disk is full/))
  t.match(await store.leases.lease('ls_1'), { state: 'granted' })
  t.match(await store.leases.occupancies(), [{ device: { id: 'a' } }, { device: { id: 'b', holds: [] } }])
  t.match(await store.health(), { isAnswering: true, isWritable: false, problem: /its disk is full/ })
  t.equal(lines.filter((line) => line.startsWith('the database fails')).length, 1, 'said once')

  client.pragma(`max_page_count = ${pages + 100}`)
  t.match(await store.leases.change(largeChange), { device: { holds: [{ kind: 'block' }] } })
  t.strictSame(await store.health(), well)
  t.match(lines.at(-1), /written to again/)
})

t.test('a disk that fills up while nothing is written is noticed by the question alone', async (t) => {
  const { store, client, time } = await setup(t)
  t.strictSame(await store.health(), well)
  client.pragma(`max_page_count = ${Number(client.pragma('page_count', { simple: true }))}`)

  t.strictSame(await store.health(), well, 'an answer counts for a second')
  time.advance(1_000)
  t.match(await store.health(), { isAnswering: true, isWritable: false, problem: /its disk is full/ })
})

t.test('to be asked for its health changes nothing in the database', async (t) => {
  const { store, client, time } = await setup(t)
  const dump = () => JSON.stringify(['devices', 'leases', 'audit', 'presence', 'changes'].map((table) => client.prepare(`SELECT * FROM ${table}`).all()))
  const before = dump()
  for (let i = 0; i < 50; i++) {
    t.strictSame(await store.health(), well)
    time.advance(1_000)
  }
  t.equal(dump(), before)
  t.equal(client.pragma('synchronous', { simple: true }), 2, 'and commits go down to the disk as before')
})

t.test('a database that has become read-only is looked at and not changed', async (t) => {
  const { store, client } = await setup(t)
  client.pragma('query_only = ON')

  await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), notWritable(/may not be written/))
  await t.rejects(store.changes.record({ kind: 'locale', target: '', before: 'de' }, { deviceId: 'a', fence: 1 }), notWritable(/may not be written/))
  await t.rejects(store.leases.noteAlive(1), notWritable(/may not be written/))
  t.match(await store.leases.liveLeases(), [{ handle: 'ls_1' }])
  t.match(await store.health(), { isAnswering: true, isWritable: false })

  client.pragma('query_only = OFF')
  t.match(await store.leases.change(grantEvent('b', 'ls_2')), { lease: { state: 'granted' } })
})

t.test('a database that another program has locked is free again when that program is done', async (t) => {
  const { store, file } = await setup(t, sharedDatabase)
  const other = new SqliteDatabase(file, { timeout: 0 })
  t.teardown(() => other.close())
  other.exec('BEGIN EXCLUSIVE')

  await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), notWritable(/another program has locked it/))
  t.match(await store.leases.lease('ls_1'), { state: 'granted' })
  t.match(await store.health(), { isAnswering: true, isWritable: false })

  other.exec('COMMIT')
  t.match(await store.leases.change(grantEvent('b', 'ls_2')), { lease: { state: 'granted' } })
  t.strictSame(await store.health(), well)
})

t.test('a database whose pages were overwritten is not answered from', async (t) => {
  const { store, client, file, lines } = await setup(t)
  client.pragma('wal_checkpoint(TRUNCATE)')
  const handle = handleOf(t, file)
  writeSync(handle, Buffer.alloc(fstatSync(handle).size, 7), 0)
  client.pragma('shrink_memory')

  t.match(await store.health(), { isAnswering: false, isWritable: false, problem: /it is damaged/ })
  await t.rejects(store.leases.lease('ls_1'), { code: 'store_unavailable', kind: 'unavailable', retryable: true, message: /it is damaged/ })
  await t.rejects(store.changes.changesOf('a'), { code: 'store_unavailable' })
  await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), notWritable(/it is damaged/))
  t.equal(lines.filter((line) => line.startsWith('the database fails')).some((line) => line.includes('ls_1')), false)
})

t.test('a database that was moved away takes no writes until it is back', async (t) => {
  const { store, file } = await setup(t)
  renameSync(file, `${file}.away`)

  await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), notWritable(/its file was deleted or replaced/))
  t.match(await store.health(), { isAnswering: true, isWritable: false, problem: /deleted or replaced/ })
  t.match(await store.leases.lease('ls_1'), { state: 'granted' }, 'what is in it can still be read, and copied')

  renameSync(`${file}.away`, file)
  t.match(await store.leases.change(grantEvent('b', 'ls_2')), { lease: { state: 'granted' } })
  t.strictSame(await store.health(), well)
})

t.test('a database is missed however it went', async (t) => {
  const ways: ReadonlyArray<readonly [string, (t: Test, file: string) => void, RegExp]> = [
    ['deleted', (_, file) => rmSync(file), /deleted or replaced/],
    ['replaced by a copy', (_, file) => {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    }, /deleted or replaced/],
    ['its log deleted', (_, file) => rmSync(`${file}-wal`), /write-ahead log was deleted or replaced/],
    ['emptied', (t, file) => ftruncateSync(handleOf(t, file), 0), /cut short/]
  ]
  for (const [name, harm, problem] of ways) {
    await t.test(name, async (t) => {
      const { store, file } = await setup(t)
      harm(t, file)
      t.match(await store.health(), { isWritable: false, problem })
      await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), notWritable(problem))
    })
  }
})
