// Databases for tests and scripts on a real Postgres: the server that TEST_POSTGRES_URL names, else one that
// listens on this machine and trusts it, else (or if the variable says `own`) one of their own.
import pg from 'pg'
import { randomIds } from '../../src/runtime/ids.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

export interface TestDatabase {
  readonly url: string
  /** Asks the database something past every store. */
  ask (statement: string, values?: readonly unknown[]): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** A connection past every store, which the caller ends. */
  connect (): Promise<pg.Client>
  /** Takes everything out of the tables, if there are any. */
  empty (): Promise<void>
  drop (): Promise<void>
}

let server: Promise<string> | undefined

/** Makes an empty database, which the caller drops. */
export async function createTestDatabase (): Promise<TestDatabase> {
  server ??= findServer()
  const serverUrl = await server
  const name = `mooring_test_${randomIds.bytes(6).toString('hex')}`
  await once(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  // What tests write need not outlive a power cut.
  url.searchParams.set('options', '-c synchronous_commit=off')

  return {
    url: url.href,
    ask: (statement, values) => once(url.href, statement, values),
    connect: () => connect(url.href),
    async empty () {
      await once(url.href, 'TRUNCATE changes, leases, devices, audit, presence RESTART IDENTITY').catch(() => {})
    },
    drop: async () => { await once(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
  }
}

async function findServer (): Promise<string> {
  const named = process.env['TEST_POSTGRES_URL']
  if (named === 'own') return (await startEmbeddedPostgres()).url
  if (named !== undefined && named !== '') return named
  const atHand = 'postgres://postgres@127.0.0.1:5432/postgres'
  return await once(atHand, 'SELECT 1').then(() => atHand, async () => (await startEmbeddedPostgres()).url)
}

async function connect (connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 60_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function once (connectionString: string, statement: string, values: readonly unknown[] = []) {
  const client = await connect(connectionString)
  try {
    return (await client.query<Record<string, unknown>>(statement, [...values])).rows
  } finally {
    await client.end()
  }
}
