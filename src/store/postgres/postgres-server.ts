/** How a Postgres server is reached: what all connections have in common. */
import pg from 'pg'
import { parse, toClientConfig } from 'pg-connection-string'
import type { PostgresLimits } from './postgres-limits.ts'
import { StoreUnreachableRefusal } from '../store-refusals.ts'

const mostConnections = 10

/** What the session of each connection begins with; the address may say otherwise in `options`. */
const sessionOptions = [
  // The server gives up a machine that is gone, and with it the claim of its process, after about ten seconds.
  'tcp_keepalives_idle=5', 'tcp_keepalives_interval=2', 'tcp_keepalives_count=3',
  // Whatever the server's default is: a commit is on the disk before it is answered.
  'synchronous_commit=on',
  // And a statement sees what was committed while it, or its transaction, waited for a lock.
  'default_transaction_isolation=read\\ committed'
].map((option) => `-c ${option}`)

export interface PostgresServer {
  /** Server and database for people to read, without user and password. */
  readonly label: string
  /**
   * Opens a connection that belongs to the caller.
   *
   * @throws {StoreUnreachableRefusal} there is no server, or it does not answer
   * @throws {pg.DatabaseError} it answers, and says no
   */
  connect (): Promise<pg.Client>
  /** Makes the connections of all transactions, at most ten. */
  createPool (): pg.Pool
}

export function postgresServer (
  url: string, { connectMs, statementMs, lockMs, answerMs, idleTransactionMs }: PostgresLimits
): PostgresServer {
  const { host, port, database, options } = parse(url)
  const common: pg.ClientConfig = {
    application_name: 'mooring',
    ...toClientConfig(parse(url)),
    options: [...sessionOptions, options ?? ''].join(' '),
    connectionTimeoutMillis: connectMs,
    keepAlive: true
  }

  const label = `${host || 'localhost'}${port ? `:${port}` : ''}/${database ?? ''}`

  return {
    label,

    async connect () {
      const client = new pg.Client(common)
      // An idle connection that breaks says so here, and the `end` that follows is what counts.
      client.on('error', () => {})
      try {
        await client.connect()
      } catch (cause) {
        client.connection.stream.destroy()
        throw cause instanceof pg.DatabaseError ? cause : new StoreUnreachableRefusal(label, cause)
      }
      return client
    },

    createPool () {
      const pool = new pg.Pool({
        ...common,
        max: mostConnections,
        // The reads of a transaction go out together, in one round trip.
        pipeline: true,
        statement_timeout: statementMs,
        lock_timeout: lockMs,
        query_timeout: answerMs,
        idle_in_transaction_session_timeout: idleTransactionMs
      })
      // The pool listens only while a connection is idle. At work, what is under way on it fails.
      pool.on('connect', (client) => client.on('error', () => {}))
      return pool
    }
  }
}
