import t, { type Test } from 'tap'
import type { LeaseEvent } from '../../src/leases/contract/lease-machine.ts'
import type { PostgresStoreParts } from '../../src/store/postgres/open-postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { StoreTakenOverRefusal } from '../../src/store/store-refusals.ts'
import { grantEvent } from '../support/lease-events.ts'
import { openTestStore, testLimits } from '../support/open-test-store.ts'
import { unreliableNetwork } from '../support/unreliable-network.ts'
import { pause } from '../../scripts/support/pause.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'

const database = await createTestDatabase()
t.teardown(() => database.drop())

/** For stores that are to be refused. */
const impatient = { ...testLimits, patienceMs: 200 }
/** For stores that are to take over from one that is about to go. */
const patient = { ...testLimits, patienceMs: 60_000 }
/** For stores that are to notice silence. */
const watchful = { ...testLimits, connectMs: 4_000, answerMs: 4_000, beatMs: 4_000 }

async function open (t: Test, parts: Partial<PostgresStoreParts> = {}, url = database.url): Promise<Store> {
  const store = await openTestStore(url, parts)
  t.teardown(() => store.close())
  return store
}

/** A store with an unreliable network between it and its database, which has two free devices. */
async function setup (t: Test, limits = testLimits) {
  await database.empty()
  const network = await unreliableNetwork(database.url)
  const lost: StoreTakenOverRefusal[] = []
  const store = await open(t, { limits, onLost: (refusal) => { lost.push(refusal) } }, network.url)
  t.teardown(() => network.close())
  await store.leases.enroll(['a', 'b'])
  return { network, store, leases: store.leases, lost }
}

async function until (isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isSo()) await pause(10)
}

const isAnswering = async (store: Store) => (await store.health()).isAnswering
const end = (deviceId: string, handle: string): LeaseEvent => ({ type: 'end', deviceId, handle, fence: 1, reason: 'released', nowMs: 2 })
const unavailable = { code: 'store_unavailable', retryable: true, retryAfterMs: 1_000 }

t.test('a second process is refused while the first one has the database, and let in after it', async (t) => {
  const first = await openTestStore(database.url)

  await t.rejects(openTestStore(database.url, { limits: impatient }), { code: 'store_in_use', retryable: true, nextAction: /--store-url/ })
  await first.leases.enroll(['a'])
  await first.close()

  t.equal((await (await open(t)).leases.occupancies()).length, 1)
})

t.test('a process that has just died does not keep the next one out', async (t) => {
  const { network } = await setup(t)
  const next = openTestStore(database.url, { limits: patient })

  network.cut()

  await (await next).close()
})

t.test('a database that cannot be had is refused with what is wrong, and without the password', async (t) => {
  const url = new URL(database.url)
  url.password = 'hush'
  const elsewhere = new URL(url)
  elsewhere.port = '1'
  const nothing = new URL(url)
  nothing.pathname = '/mooring_no_such_database'
  const network = await unreliableNetwork(database.url)
  t.teardown(() => network.close())
  network.silence()

  const refusals = [
    [elsewhere.href, testLimits, { code: 'store_unreachable', retryable: true, message: /ECONNREFUSED/ }],
    [network.url, { ...testLimits, connectMs: 200 }, { code: 'store_unreachable', retryable: true }],
    [nothing.href, testLimits, { code: 'store_unusable', retryable: false, message: /"mooring_no_such_database" does not exist/ }],
    [`${url.href}&sslmode=verify-full&sslrootcert=/nowhere/hush`, testLimits, { code: 'store_unusable', message: /ENOENT/ }]
  ] as const
  for (const [url, limits, refusal] of refusals) {
    const thrown: unknown = await openTestStore(url, { limits }).catch((cause: unknown) => cause)
    t.match(thrown, refusal)
    t.notMatch(String(thrown), 'hush@')
  }
})

t.test('a database of a newer version is refused and kept', async (t) => {
  await (await openTestStore(database.url)).close()
  const created = 99_999_999_999_999
  await database.ask("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of the future', $1)", [created])

  await t.rejects(openTestStore(database.url), { code: 'store_too_new', details: { database: /mooring_test/ } })

  await database.ask('DELETE FROM drizzle.__drizzle_migrations WHERE created_at = $1', [created])
  await (await openTestStore(database.url)).close()
})

t.test('while the server is away everything is refused at once, and goes on afterwards with all that was acknowledged', async (t) => {
  const { network, store, leases } = await setup(t)
  const granted = await leases.change(grantEvent('a', 'ls_1'))

  network.cut()

  await t.rejects(leases.change(grantEvent('b', 'ls_2')), unavailable)
  await until(async () => !await isAnswering(store))
  const refused: ReadonlyArray<Promise<unknown>> = [
    leases.change(end('a', 'ls_1')), leases.changeAll([grantEvent('b', 'ls_2')]), leases.occupancies(), leases.lease('ls_1'),
    leases.noteAlive(1), store.changes.changesOf('a'), store.changes.remove(1)
  ]
  await Promise.all(refused.map((work) => t.rejects(work, unavailable)))

  network.mend()
  await until(() => isAnswering(store))

  t.strictSame(await leases.lease('ls_1'), granted?.lease)
  t.equal(await leases.lease('ls_2'), undefined)
  t.equal((await leases.change(end('a', 'ls_1')))?.lease?.state, 'releasing')
  t.match(await leases.change(grantEvent('b', 'ls_2')), { lease: { fence: 1 } })
})

t.test('a server that goes without a word is noticed, and nothing waits for it for ever', async (t) => {
  const { network, store, leases } = await setup(t, watchful)

  network.silence()

  const refused: ReadonlyArray<Promise<unknown>> = [leases.change(grantEvent('a', 'ls_1')), leases.occupancies()]
  await Promise.all(refused.map((work) => t.rejects(work, unavailable)))
  await until(async () => !await isAnswering(store))
  network.mend()
  await until(() => isAnswering(store))
  t.equal((await leases.change(grantEvent('a', 'ls_1')))?.lease?.fence, 1)
})

t.test('only the connection with the lock breaks: it is taken back, and meanwhile nothing is granted', async (t) => {
  const { network, store, leases } = await setup(t)
  const [holder] = await database.ask("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")

  // It cannot be taken back at once, or nothing might ask meanwhile.
  network.shut()
  await database.ask('SELECT pg_terminate_backend($1)', [holder?.['pid']])
  await until(async () => await leases.lease('ls_1').then(() => false, () => true))
  network.mend()
  await until(() => isAnswering(store))

  await t.rejects(openTestStore(database.url, { limits: impatient }), { code: 'store_in_use' })
  t.equal((await leases.change(grantEvent('a', 'ls_1')))?.lease?.fence, 1)
})

t.test('a process that another one has taken over from writes nothing any more, and is told', async (t) => {
  const { network, leases, lost } = await setup(t)
  await leases.change(grantEvent('a', 'ls_1'))
  network.cut()
  const second = await open(t, { limits: patient })

  network.mend()
  await until(() => lost.length > 0)

  await t.rejects(leases.change(end('a', 'ls_1')), { code: 'store_taken_over', retryable: false })
  await t.rejects(leases.change(grantEvent('b', 'ls_2')), { code: 'store_taken_over' })
  t.equal(lost.length, 1)
  t.match(await second.leases.lease('ls_1'), { state: 'granted' })
  t.equal(await second.leases.lease('ls_2'), undefined)
})

t.test('a transaction of another term is undone, whatever the process still believes', async (t) => {
  const { leases, lost } = await setup(t)

  await database.ask('UPDATE claim SET term = term + 1')

  await t.rejects(leases.change(grantEvent('a', 'ls_1')), { code: 'store_taken_over' })
  t.equal(lost.length, 1)
  t.strictSame(await database.ask('SELECT handle FROM leases'), [])
})

t.test('a process that was taken over from while it waited writes nothing, whatever the isolation is by default', async (t) => {
  const [{ name }] = await database.ask('SELECT current_database() AS name') as [{ name: string }]
  t.teardown(() => database.ask(`ALTER DATABASE "${name}" RESET default_transaction_isolation`))
  for (const isolation of ['repeatable read', 'serializable']) {
    await database.ask(`ALTER DATABASE "${name}" SET default_transaction_isolation = '${isolation}'`)
    await database.empty()
    const store = await openTestStore(database.url, { limits: patient })
    await store.leases.enroll(['a'])
    const successor = await database.connect()
    t.strictSame((await successor.query('SHOW default_transaction_isolation')).rows, [{ default_transaction_isolation: isolation }])
    await successor.query('SELECT pg_advisory_lock(1836019570, 2)')
    const granted = t.rejects(store.leases.change(grantEvent('a', 'ls_1')), { code: 'store_taken_over' }, isolation)
    await until(async () => (await database.ask(
      "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )).length > 0)

    await successor.query('UPDATE claim SET term = term + 1')
    await successor.query('SELECT pg_advisory_unlock(1836019570, 2)')

    await granted
    t.strictSame(await database.ask('SELECT handle FROM leases'), [])
    await successor.end()
    await store.close()
  }
})

t.test('a new term waits for transactions of the one before', async (t) => {
  await database.empty()
  const { leases } = await open(t)
  await leases.enroll(['a'])
  const waiting = async (kind: string) => (await database.ask(
    'SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = $1 AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())', [kind]
  )).length
  const [blocker, next] = [await database.connect(), await database.connect()]
  t.teardown(() => Promise.all([blocker.end(), next.end()]))

  await blocker.query('BEGIN')
  await blocker.query('SELECT 1 FROM devices FOR UPDATE')
  const changed = leases.change(grantEvent('a', 'ls_1'))
  await until(async () => await waiting('transactionid') > 0)
  // What the next term sees when it begins tells more than whose answer comes first: both are under way at once.
  const seen = next.query('SELECT pg_advisory_lock(1836019570, 2)').then(async () => (await next.query('SELECT handle FROM leases')).rows)
  await until(async () => await waiting('advisory') > 0)
  await blocker.query('ROLLBACK')

  t.match(await changed, { lease: { handle: 'ls_1' } })
  t.strictSame(await seen, [{ handle: 'ls_1' }])
})

t.test('a commit whose answer is lost has happened or not, and the change says which', async (t) => {
  const { network, store, leases } = await setup(t)

  network.cutAt('COMMIT\0', 'after')
  t.match(await leases.change(grantEvent('a', 'ls_1')), { lease: { handle: 'ls_1', fence: 1 } })
  await until(() => isAnswering(store))
  t.match(await leases.lease('ls_1'), { state: 'granted' })

  network.cutAt('COMMIT\0', 'before')
  await t.rejects(leases.change(grantEvent('b', 'ls_2')), unavailable)
  await until(() => isAnswering(store))
  t.equal(await leases.lease('ls_2'), undefined)
  t.match(await leases.change(grantEvent('b', 'ls_2')), { lease: { fence: 1 } })
})

t.test('changes to the same devices in any order neither overlap nor wait for each other for ever', async (t) => {
  await database.empty()
  const { leases } = await open(t)
  const ids = ['a', 'b', 'c', 'd']
  await leases.enroll(ids)
  let handles = 0

  // Each takes two devices, in one order or the other, and gives them back.
  const fences = await Promise.all(Array.from({ length: 40 }, async (_, i) => {
    const [one = 'a', other = 'b'] = i % 2 === 0 ? [ids[i % 4], ids[(i + 1) % 4]] : [ids[(i + 1) % 4], ids[i % 4]]
    const granted = await leases.changeAll([one, other].map((deviceId) => grantEvent(deviceId, `ls_${++handles}`)))
    if (granted === undefined) return []
    await Promise.all(granted.map(async ({ device: { id: deviceId }, lease }) => {
      if (lease !== undefined) await leases.change({ type: 'end', deviceId, handle: lease.handle, fence: lease.fence, reason: 'undelivered', nowMs: 1 })
    }))
    return granted.map(({ device }) => `${device.id} ${device.fence}`)
  }))

  const given = fences.flat()
  t.ok(given.length >= 2)
  t.equal(new Set(given).size, given.length, 'no fence is given out twice')
  t.match(await database.ask('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), [{ deadlocks: '0' }])
})

t.test('the database itself refuses a second holder of a device, and a fence used twice', async (t) => {
  await database.empty()
  const { leases } = await open(t)
  await leases.enroll(['a'])
  await leases.change(grantEvent('a', 'ls_1'))
  const columns = (await database.ask("SELECT column_name FROM information_schema.columns WHERE table_name = 'leases' AND column_name <> 'ordinal'"))
    .map(({ column_name: name }) => String(name))
  const copyAs = async (handle: string, state: string, fence: number) => {
    const changed: Readonly<Record<string, string>> = { handle: `'${handle}'`, state: `'${state}'`, fence: String(fence) }
    return await database.ask(`INSERT INTO leases (${columns.join()}) SELECT ${columns.map((name) => changed[name] ?? name).join()} FROM leases`)
  }

  await t.rejects(copyAs('ls_2', 'granted', 2), /leases_one_open_per_device/)
  await t.rejects(copyAs('ls_2', 'releasing', 2), /leases_one_open_per_device/)
  await t.rejects(copyAs('ls_2', 'ended', 1), /leases_fence_once_per_device/)
  await copyAs('ls_2', 'ended', 2)
})

t.test('no value of a row is in an error', async (t) => {
  await database.empty()
  const { leases } = await open(t)
  await leases.enroll(['a', 'b'])
  await leases.change(grantEvent('a', 'ls_hush', { holder: { principal: 'hush' } }))

  const thrown: unknown = await leases.change(grantEvent('b', 'ls_hush', { holder: { principal: 'hush' } })).catch((cause: unknown) => cause)

  t.match(thrown, { message: /leases_pkey/ })
  t.notMatch(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)), 'hush')
  t.equal((await leases.occupancies()).filter(({ lease }) => lease !== undefined).length, 1)
})

t.test('a database that is read-only for a while is looked at and not changed', async (t) => {
  const { store, leases } = await setup(t)
  await leases.change(grantEvent('a', 'ls_1'))
  const name = new URL(database.url).pathname.slice(1)
  const turn = async (setting: string, isWritable: boolean) => {
    await database.ask(`BEGIN READ WRITE; ALTER DATABASE "${name}" ${setting}; COMMIT`)
    // Sessions that are there keep what they have begun with.
    await database.ask('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()')
    await until(async () => {
      const health = await store.health()
      return health.isAnswering && health.isWritable === isWritable
    })
  }
  t.teardown(() => database.ask(`BEGIN READ WRITE; ALTER DATABASE "${name}" RESET default_transaction_read_only; COMMIT`))

  await turn('SET default_transaction_read_only = on', false)
  await t.rejects(leases.change(grantEvent('b', 'ls_2')), { code: 'store_not_writable', kind: 'unavailable', retryable: true, message: /read-only/ })
  await t.rejects(leases.noteAlive(1), { code: 'store_not_writable' })
  t.match(await leases.lease('ls_1'), { state: 'granted' })
  t.match(await store.health(), { isAnswering: true, isWritable: false, problem: /read-only/ })

  await turn('RESET default_transaction_read_only', true)
  t.match(await leases.change(grantEvent('b', 'ls_2')), { lease: { state: 'granted' } })
  t.match(await store.health(), { isAnswering: true, isWritable: true })
})

t.test('a full disk of the server and tables that are gone are refused for now, and named', async (t) => {
  const { store, leases } = await setup(t)
  // A server whose disk is really full answers with this code too.
  await database.ask("CREATE FUNCTION disk_is_full () RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$")
  await database.ask('CREATE TRIGGER full_disk BEFORE INSERT ON audit EXECUTE FUNCTION disk_is_full()')
  t.teardown(() => database.ask('DROP FUNCTION IF EXISTS disk_is_full CASCADE'))

  await t.rejects(leases.change(grantEvent('a', 'ls_1')), { code: 'store_not_writable', message: /its disk is full/ })
  t.equal(await leases.lease('ls_1'), undefined, 'nothing of it was kept')
  t.match(await store.health(), { isAnswering: true, isWritable: false, problem: /its disk is full/ })
  await database.ask('DROP FUNCTION disk_is_full CASCADE')
  t.match(await leases.change(grantEvent('a', 'ls_1')), { lease: { state: 'granted' } })
  t.match(await store.health(), { isAnswering: true, isWritable: true })

  await database.ask('ALTER TABLE leases RENAME TO leases_elsewhere')
  await t.rejects(leases.lease('ls_1'), { code: 'store_unavailable', retryable: true, message: /tables are missing/ })
  t.match(await store.health(), { isAnswering: false, isWritable: false, problem: /tables are missing/ })
  await database.ask('ALTER TABLE leases_elsewhere RENAME TO leases')
  t.match(await leases.lease('ls_1'), { state: 'granted' })
})
