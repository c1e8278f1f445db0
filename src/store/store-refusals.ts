import { dirname } from 'node:path'
import { Refusal } from '../refusals/refusal.ts'

/** Another process has the database open. Two would grant the same device twice. */
export class StateDirectoryInUseRefusal extends Refusal {
  readonly code = 'state_directory_in_use'

  constructor (file: string) {
    super({
      message: `Another gateway is using the state directory ${dirname(file)}.`,
      retryable: true,
      nextAction: 'Stop the other gateway, or give this one a directory of its own with --state-dir.',
      details: { directory: dirname(file) }
    })
  }
}

/** The state directory or the database in it cannot be made, read or written. */
export class StateDirectoryUnusableRefusal extends Refusal {
  readonly code = 'state_directory_unusable'

  constructor (file: string, cause: unknown) {
    super({
      message: `The database ${file} cannot be opened for writing${systemCode(cause)}.`,
      retryable: false,
      nextAction: 'Check that the directory belongs to the user who runs the gateway and that its disk has room, or choose another with --state-dir.',
      details: { file },
      cause
    })
  }
}

/** Another user could put a database of its own in the place of ours, or has. */
export class StateDirectoryUnsafeRefusal extends Refusal {
  readonly code = 'state_directory_unsafe'

  constructor ({ file, problem, nextAction }: { readonly file: string, readonly problem: string, readonly nextAction: string }) {
    super({
      message: `The database ${file} cannot be trusted: ${problem}.`,
      retryable: false,
      nextAction,
      details: { file }
    })
  }
}

/** A later version has changed the tables in ways this one does not know. */
export class StoreTooNewRefusal extends Refusal {
  readonly code = 'store_too_new'

  constructor (store: { readonly file: string } | { readonly database: string }) {
    super({
      message: `The database ${'file' in store ? store.file : store.database} was written by a newer version of mooring.`,
      retryable: false,
      nextAction: 'Run that version or a later one, or start with an empty directory with --state-dir or an empty database with --store-url. Nothing in it was changed.',
      details: { ...store }
    })
  }
}

/** The file is no database, or a damaged one. */
export class StoreDamagedRefusal extends Refusal {
  readonly code = 'store_damaged'
  override readonly kind = 'unavailable'

  constructor (file: string, cause: unknown) {
    super({
      message: `The file ${file} is damaged, or not a database of mooring's.`,
      retryable: false,
      nextAction: 'Restore it from a backup, or move it and its -wal file away to start without leases. Nothing was deleted.',
      details: { file },
      cause
    })
  }
}

/** The database server that is to keep the leases cannot be reached, or does not take connections now. */
export class StoreUnreachableRefusal extends Refusal {
  readonly code = 'store_unreachable'
  override readonly kind = 'unavailable'

  constructor (database: string, cause: unknown) {
    super({
      message: `The database ${database} cannot be reached${systemCode(cause)}.`,
      retryable: true,
      nextAction: 'Start the database server, or correct its address with --store-url.',
      details: { database },
      cause
    })
  }
}

/** Another process has the database. Two would grant the same device twice. */
export class StoreInUseRefusal extends Refusal {
  readonly code = 'store_in_use'

  constructor (database: string) {
    super({
      message: `Another gateway is using the database ${database}.`,
      retryable: true,
      nextAction: 'Stop the other gateway, or give this one a database of its own with --store-url.',
      details: { database }
    })
  }
}

/** The database server answers, but does not let this gateway keep anything in the database. */
export class StoreUnusableRefusal extends Refusal {
  readonly code = 'store_unusable'

  constructor (database: string, reason: string, cause?: unknown) {
    super({
      message: `The database ${database} cannot be used: ${reason}.`,
      retryable: false,
      nextAction: 'Create the database and let the user of --store-url own it, or name another one.',
      details: { database },
      cause
    })
  }
}

/** The database does not answer for the moment. What was acknowledged is kept, and nothing new is. */
export class StoreUnavailableRefusal extends Refusal {
  readonly code = 'store_unavailable'
  override readonly kind = 'unavailable'

  /** @param problem what is wrong where the database can be reached, as the end of a sentence; safe for every caller */
  constructor (cause: unknown, problem?: string) {
    super({
      message: problem === undefined ? 'The gateway cannot reach its database.' : `The gateway cannot use its database: ${problem}.`,
      retryable: true,
      // What is wrong with a database that answers is for a person to mend.
      retryAfterMs: problem === undefined ? 1_000 : 5_000,
      nextAction: 'Wait retryAfterMs and repeat the call; leases are kept. If it goes on, tell your user that the operator has to mend the database.',
      cause
    })
  }
}

/** Another gateway has taken the database over while this one could not reach it, so this one stops. */
export class StoreTakenOverRefusal extends Refusal {
  readonly code = 'store_taken_over'

  constructor (database: string) {
    super({
      message: 'Another gateway has taken over the leases.',
      retryable: false,
      nextAction: 'Use the other gateway. To the operator: let only one gateway at a time use a database.',
      details: { database }
    })
  }
}

function systemCode (cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
}
