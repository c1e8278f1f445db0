import SqliteDatabase from 'better-sqlite3'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import t from 'tap'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { scratchFile } from '../support/scratch-file.ts'

/** A database as the first version left it, with a lease on a phone. */
function firstVersion (file: string) {
  const migrations = join(packageRoot, 'migrations', 'sqlite')
  const first = join(dirname(file), 'first')
  mkdirSync(join(first, 'meta'), { recursive: true })
  cpSync(join(migrations, '0000_lease-tables.sql'), join(first, '0000_lease-tables.sql'))
  const journal = JSON.parse(readFileSync(join(migrations, 'meta', '_journal.json'), 'utf8'))
  writeFileSync(join(first, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }))
  const client = new SqliteDatabase(file)
  migrate(drizzle(client), { migrationsFolder: first })
  client.exec(`
    INSERT INTO devices VALUES ('a', 'leased', 7, NULL, 5);
    INSERT INTO leases VALUES ('ls_1', 'a', 'boot-1', 7, 'alice', 'granted', 'kept', 1000, 60000, 90000, NULL, NULL);
  `)
  client.close()
}

t.test('a lease of the first version goes on, idle from its last use on and with a full length left', async (t) => {
  const file = scratchFile(t)
  firstVersion(file)

  const store = openSqliteStore({ file })
  t.teardown(() => store.close())

  t.match(await store.leases.occupancies(), [{
    device: { id: 'a', state: 'leased', fence: 7, holds: [], failures: 0 },
    lease: {
      handle: 'ls_1',
      state: 'granted',
      purpose: 'kept',
      expiresAtMs: 90_000,
      lastControlAtMs: 30_000,
      idleMs: 1_800_000,
      mustEndAtMs: 28_830_000,
      isUsed: true,
      isConfirmed: true,
      priority: 'normal',
      sessionKey: undefined,
      heartbeatMs: undefined
    }
  }])
  t.strictSame(await store.leases.audit({ limit: 1 }), [])
  t.equal(await store.leases.aliveAtMs(), undefined)
})
