import SqliteDatabase from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { openDatabase } from '../../src/store/sqlite/open-database.ts'
import { scratchFile } from '../support/scratch-file.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

t.test('the database and what lies beside it are for their owner alone', async (t) => {
  const file = join(dirname(scratchFile(t)), 'state', 'mooring', 'mooring.db')
  const store = openSqliteStore({ file })
  t.teardown(() => store.close())
  await store.leases.enroll(['a'])

  t.equal(mode(dirname(file)), '700')
  t.strictSame(readdirSync(dirname(file)).sort(), ['mooring.db', 'mooring.db-wal'])
  t.equal(mode(file), '600')
  t.equal(mode(`${file}-wal`), '600')
})

t.test('a database that others could read is closed to them', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, '', { mode: 0o644 })

  const store = openSqliteStore({ file })
  t.teardown(() => store.close())

  t.equal(mode(file), '600')
})

t.test('a directory that was there before keeps its mode', async (t) => {
  const file = scratchFile(t)
  chmodSync(dirname(file), 0o755)

  const store = openSqliteStore({ file })
  t.teardown(() => store.close())

  t.equal(mode(dirname(file)), '755')
})

t.test('the directory that mooring has for itself is closed to others', async (t) => {
  const file = scratchFile(t)
  chmodSync(dirname(file), 0o755)

  const store = openSqliteStore({ file, isOwnFolder: true })
  t.teardown(() => store.close())

  t.equal(mode(dirname(file)), '700')
})

t.test('a second process is refused at once, from the moment of opening', async (t) => {
  const file = scratchFile(t)
  const script = fileURLToPath(new URL(`./open-and-report${extname(import.meta.url)}`, import.meta.url))
  const openElsewhere = () => JSON.parse(execFileSync(process.execPath, [...process.execArgv, script, file], { encoding: 'utf8' }))

  for (const state of ['new', 'old']) {
    const store = openSqliteStore({ file })
    t.match(openElsewhere(), {
      code: 'state_directory_in_use', retryable: true, directory: dirname(file), nextAction: /--state-dir/
    }, state)
    await store.close()
  }

  t.strictSame(openElsewhere(), { opened: true })
})

t.test('a database of a newer version is refused and kept', async (t) => {
  const file = scratchFile(t)
  await openSqliteStore({ file }).close()
  const database = new SqliteDatabase(file)
  database.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of the future', 99999999999999)")
  database.exec('CREATE TABLE things_to_come (id)')
  database.close()

  t.throws(() => openSqliteStore({ file }), { code: 'store_too_new', details: { file } })

  const after = new SqliteDatabase(file)
  t.teardown(() => after.close())
  t.equal(after.prepare('SELECT count(*) FROM things_to_come').pluck().get(), 0)
})

t.test('a file that is no database is refused and kept', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, 'dear diary '.repeat(1_000))

  t.throws(() => openSqliteStore({ file }), { code: 'store_damaged', retryable: false, details: { file } })
  t.equal(readFileSync(file, 'utf8'), 'dear diary '.repeat(1_000))
})

t.test('a truncated database is refused', async (t) => {
  const file = scratchFile(t)
  await openSqliteStore({ file }).close()
  truncateSync(file, 3 * 4_096)

  t.throws(() => openSqliteStore({ file }), { code: 'store_damaged' })
  t.ok(existsSync(file))
})

t.test('a database that was emptied or deleted is no beginning, and nothing of what is left of it is touched', async (t) => {
  const harms: ReadonlyArray<readonly [string, (file: string) => void]> = [
    ['emptied beside the sealing keys', (file) => {
      writeFileSync(file, '')
      writeFileSync(join(dirname(file), 'sealing-key'), 'k')
    }],
    ['emptied beside its log', (file) => {
      writeFileSync(file, '')
      writeFileSync(`${file}-wal`, 'what was acknowledged')
    }],
    ['deleted beside its log', (file) => {
      rmSync(file)
      writeFileSync(`${file}-wal`, 'what was acknowledged')
    }]
  ]
  for (const [name, harm] of harms) {
    const file = scratchFile(t)
    await openSqliteStore({ file }).close()
    harm(file)
    const left = readdirSync(dirname(file))

    t.throws(() => openSqliteStore({ file }), { code: 'store_damaged', nextAction: /backup/ }, name)
    t.strictSame(readdirSync(dirname(file)), left, name)
    if (left.includes('mooring.db-wal')) t.equal(readFileSync(`${file}-wal`, 'utf8'), 'what was acknowledged')
  }

  const moved = scratchFile(t)
  writeFileSync(join(dirname(moved), 'sealing-key'), 'k')
  await openSqliteStore({ file: moved }).close()
  t.ok(existsSync(moved), 'a database that was moved away with its log is a beginning')
})

t.test('a log that a burst has made large is small again once it is written into the file', async (t) => {
  const client = openDatabase(scratchFile(t))
  t.teardown(() => client.close())
  client.pragma('wal_autocheckpoint = 0')
  client.exec('CREATE TABLE burst (bytes)')
  client.exec('INSERT INTO burst VALUES (zeroblob(20000000))')
  const size = () => statSync(`${client.name}-wal`).size
  t.ok(size() > 20_000_000)

  client.pragma('wal_checkpoint(PASSIVE)')
  client.exec('INSERT INTO burst VALUES (1)')

  t.ok(size() <= 4 * 1024 * 1024, `${size()} bytes`)
})

t.test('a database with a damaged page is refused', async (t) => {
  const file = scratchFile(t)
  await openSqliteStore({ file }).close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, 2 * 4_096, 3 * 4_096)
  writeFileSync(file, bytes)

  t.throws(() => openSqliteStore({ file }), { code: 'store_damaged' })
})

t.test('a refused database can be opened once its fault is gone', async (t) => {
  const file = scratchFile(t)
  await openSqliteStore({ file }).close()
  const bytes = readFileSync(file)
  writeFileSync(file, 'x'.repeat(10_000))
  t.throws(() => openSqliteStore({ file }), { code: 'store_damaged' })

  writeFileSync(file, bytes)

  await openSqliteStore({ file }).close()
})

t.test('a place where no database can be is refused with the reason of the system', async (t) => {
  const file = scratchFile(t)
  writeFileSync(file, '')
  mkdirSync(`${file}.folder`)

  t.throws(() => openSqliteStore({ file: join(file, 'mooring.db') }), { code: 'state_directory_unusable', message: /\(E[A-Z]+\)/ })
  t.throws(() => openSqliteStore({ file: `${file}.folder` }), { code: 'state_directory_unusable', message: /EISDIR/ })
  if (process.platform === 'linux') t.throws(() => openSqliteStore({ file: '/proc/nope/mooring.db' }), { code: 'state_directory_unusable', message: /\(ENOENT\)/ })
})

t.test('nothing is left open or locked by a refused opening', async (t) => {
  const file = scratchFile(t)
  await openSqliteStore({ file }).close()
  const database = new SqliteDatabase(file)
  database.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of the future', 99999999999999)")
  database.close()
  t.throws(() => openSqliteStore({ file }), { code: 'store_too_new' })

  const other = new SqliteDatabase(file, { timeout: 0 })
  t.teardown(() => other.close())
  other.exec("DELETE FROM __drizzle_migrations WHERE hash = 'of the future'")
})

t.test('a database that another user could replace, or has replaced, is refused before it is touched', { skip: process.platform === 'win32' }, (t) => {
  const unsafe = { code: 'state_directory_unsafe' }
  const file = scratchFile(t)
  const elsewhere = scratchFile(t)
  writeFileSync(elsewhere, 'something else', { mode: 0o644 })

  symlinkSync(elsewhere, file)
  t.throws(() => openSqliteStore({ file }), { ...unsafe, message: /it is a symbolic link/ })
  unlinkSync(file)
  symlinkSync(`${elsewhere}.missing`, file)
  t.throws(() => openSqliteStore({ file }), { ...unsafe, message: /it is a symbolic link/ }, 'also one that leads nowhere')
  unlinkSync(file)

  const link = `${dirname(elsewhere)}/link`
  symlinkSync(dirname(file), link)
  t.throws(() => openSqliteStore({ file: join(link, 'mooring.db') }), { ...unsafe, message: /its folder is a symbolic link/ })

  chmodSync(dirname(file), 0o777)
  t.throws(() => openSqliteStore({ file }), { ...unsafe, message: /others may write to its folder/, nextAction: /chmod go-w/ })
  chmodSync(dirname(file), 0o1777)
  t.teardown(() => chmodSync(dirname(file), 0o700))
  const store = openSqliteStore({ file })
  t.teardown(() => store.close())

  t.equal(readFileSync(elsewhere, 'utf8'), 'something else')
  t.equal(mode(elsewhere), '644')
  t.notOk(existsSync(`${elsewhere}.missing`))
  t.end()
})
