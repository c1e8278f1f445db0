import { Refusal } from '../refusals/refusal.ts'

/** Another user could read or replace the token, or has put something else in its place. */
export class TokenFileUnsafeRefusal extends Refusal {
  readonly code = 'token_file_unsafe'

  constructor (facts: { readonly file: string, readonly problem: string, readonly nextAction: string }) {
    super({
      message: `The token file ${facts.file} cannot be trusted: ${facts.problem}.`,
      retryable: false,
      nextAction: facts.nextAction,
      details: { file: facts.file }
    })
  }
}

/** The token cannot be written where it should be. */
export class TokenFileUnwritableRefusal extends Refusal {
  readonly code = 'token_file_unwritable'

  constructor (facts: { readonly file: string, readonly problem: string, readonly cause: unknown }) {
    super({
      message: `The token file ${facts.file} cannot be written: ${facts.problem}.`,
      retryable: false,
      nextAction: 'Give this user write access to its folder, or name another place with --token-file or --state-dir.',
      details: { file: facts.file },
      cause: facts.cause
    })
  }
}

/** Another mooring published its token in the same place, while this one was about to. */
export class TokenFileTakenRefusal extends Refusal {
  readonly code = 'token_file_taken'

  constructor (file: string) {
    super({
      message: `Another process has just written its own token to ${file}.`,
      retryable: false,
      nextAction: 'Stop the other mooring, or give this one its own place with --token-file or --state-dir.',
      details: { file }
    })
  }
}

/** There is no token to read. */
export class TokenFileMissingRefusal extends Refusal {
  readonly code = 'token_file_missing'

  constructor (file: string) {
    super({
      message: `There is no token file at ${file}.`,
      retryable: true,
      nextAction: 'Start the server with `mooring serve`, or name its token file with --token-file or --state-dir.',
      details: { file }
    })
  }
}

/** The token that the operator gives the server cannot be used. */
export class TokenUnusableRefusal extends Refusal {
  readonly code = 'token_unusable'

  constructor (file: string, problem: string, cause?: unknown) {
    super({
      message: `The token in ${file} ${problem}.`,
      retryable: false,
      nextAction: 'Put a long random token into it, for example of `openssl rand -base64 32`, or start without --server-token file.',
      details: { file },
      ...(cause === undefined ? {} : { cause })
    })
  }
}
