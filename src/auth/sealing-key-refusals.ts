import { Refusal } from '../refusals/refusal.ts'

/** Another user could read or replace the sealing keys, or the file does not hold any. */
export class SealingKeyUnsafeRefusal extends Refusal {
  readonly code = 'sealing_key_unsafe'

  constructor (facts: { readonly file: string, readonly problem: string, readonly nextAction: string }) {
    super({
      message: `The sealing key file ${facts.file} cannot be trusted: ${facts.problem}.`,
      retryable: false,
      nextAction: facts.nextAction,
      details: { file: facts.file }
    })
  }
}

/** The sealing keys cannot be written where they should be. */
export class SealingKeyUnwritableRefusal extends Refusal {
  readonly code = 'sealing_key_unwritable'

  constructor (facts: { readonly file: string, readonly problem: string, readonly cause: unknown }) {
    super({
      message: `The sealing key file ${facts.file} cannot be written: ${facts.problem}.`,
      retryable: false,
      nextAction: 'Give this user write access to its folder, or name another place with --state-dir.',
      details: { file: facts.file },
      cause: facts.cause
    })
  }
}
