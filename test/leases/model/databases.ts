import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { TestDatabase } from '../../../scripts/support/postgres-database.ts'
import { openTestStore } from '../../support/open-test-store.ts'

/** Where one history keeps its leases. It is opened by one process after the other. */
export interface HistoryDatabase {
  /** Whether an answer of it takes its time: it is in no process of ours. */
  readonly isElsewhere: boolean
  open (): Promise<Store>
  remove (): void
}

/** Makes an empty one for each history. */
export type CreateDatabase = () => Promise<HistoryDatabase>

/** Files in memory where there is such a thing: they are closed and opened again thousands of times. */
export function sqliteFiles (): CreateDatabase {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mooring-model-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const template = join(folder, 'template.db')
  let histories = 0

  return async () => {
    if (!existsSync(template)) await openSqliteStore({ file: template }).close()
    const file = join(folder, `history-${++histories}.db`)
    copyFileSync(template, file)
    return {
      isElsewhere: false,
      open: async () => openSqliteStore({ file }),
      remove () {
        for (const suffix of ['', '-wal']) rmSync(`${file}${suffix}`, { force: true })
      }
    }
  }
}

/** One database, emptied for each history. */
export function postgresTables (database: TestDatabase): CreateDatabase {
  return async () => {
    await database.empty()
    return { isElsewhere: true, open: () => openTestStore(database.url), remove () {} }
  }
}
