import t from 'tap'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { openTestStore } from '../support/open-test-store.ts'
import { scratchFile } from '../support/scratch-file.ts'
import { leaseStoreContract } from './lease-store-contract.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'

// Before the first tests run: SQLite answers at once, and leaves a network connection no time to be made.
const database = await createTestDatabase()
t.teardown(() => database.drop())

leaseStoreContract('SQLite', async (t) => {
  const file = scratchFile(t)
  let store = openSqliteStore({ file })
  t.teardown(() => store.close())
  return {
    store: store.leases,
    async reopen () {
      await store.close()
      store = openSqliteStore({ file })
      return store.leases
    }
  }
})

leaseStoreContract('Postgres', async (t) => {
  await database.empty()
  let store = await openTestStore(database.url)
  t.teardown(() => store.close())
  return {
    store: store.leases,
    async reopen () {
      await store.close()
      store = await openTestStore(database.url)
      return store.leases
    }
  }
})

// The double that other tests stand on has to keep the same promises.
leaseStoreContract('memory', async () => {
  const store = memoryLeaseStore()
  return { store, reopen: async () => store }
})
