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

/** A later version has changed the tables in ways this one does not know. */
export class StoreTooNewRefusal extends Refusal {
  readonly code = 'store_too_new'

  constructor (file: string) {
    super({
      message: `The database ${file} was written by a newer version of mooring.`,
      retryable: false,
      nextAction: 'Run that version or a later one, or start with an empty directory with --state-dir. Nothing in it was changed.',
      details: { file }
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

function systemCode (cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
}
