/** How long mooring waits for a Postgres server, in milliseconds. */
export interface PostgresLimits {
  /** For a connection. */
  readonly connectMs: number
  /** For a statement, as the server counts. */
  readonly statementMs: number
  /** For a lock that another transaction has; shorter than for a statement, or the server would not say what it waited for. */
  readonly lockMs: number
  /** For the answer to the question how the database is. */
  readonly healthMs: number
  /** For the answer to a statement when the server has not even said that it took too long. */
  readonly answerMs: number
  /** How long the server leaves a transaction idle: so long a process that hangs can hold up the next one. */
  readonly idleTransactionMs: number
  /** For the lock of another process: the server may notice a moment later that it has died. */
  readonly patienceMs: number
  /** Between two looks whether the connection with the lock is alive, and for the answer to one. */
  readonly beatMs: number
  /** For news of a commit whose answer was lost. */
  readonly outcomeMs: number
}

export const usualLimits: PostgresLimits = {
  connectMs: 5_000,
  statementMs: 5_000,
  lockMs: 2_000,
  healthMs: 2_500,
  answerMs: 8_000,
  idleTransactionMs: 10_000,
  patienceMs: 3_000,
  beatMs: 5_000,
  outcomeMs: 10_000
}
