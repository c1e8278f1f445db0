import { Refusal } from '../refusals/refusal.ts'

/** One thing that is wrong with what the operator said. */
export interface ConfigProblem {
  /** Its source: a flag, a variable, or a file with line and column. */
  readonly source: string
  /** To read after the source and a colon. */
  readonly message: string
}

/** mooring cannot start with the settings it was given. Names all that is wrong with them at once. */
export class ConfigRefusal extends Refusal {
  readonly code = 'config_invalid'
  readonly problems: readonly ConfigProblem[]

  constructor (problems: readonly ConfigProblem[]) {
    super({
      message: problems.length === 1 ? 'One setting is wrong.' : `${problems.length} settings are wrong.`,
      retryable: false,
      nextAction: 'Correct what is listed; `mooring help` shows every setting.',
      details: { problems }
    })
    this.problems = problems
  }
}
