import { Refusal } from '../../../refusals/refusal.ts'
import { mostProblems, type AppProblem } from './check-references.ts'

/** An app file has mistakes, or cannot be read. */
export class AppFileRefusal extends Refusal {
  readonly code = 'app_file_invalid'

  /** @param count how many there are, where only some are described */
  constructor (file: string, problems: readonly AppProblem[], count = problems.length) {
    const lines = problems.slice(0, mostProblems).map(({ path, problem }) => `  ${path === '' ? '' : `${path}: `}${problem}`)
    const more = count - lines.length
    super({
      message: [`${file} is no app of the virtual phone:`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n'),
      retryable: false,
      nextAction: 'Correct the file, or take it out of its folder; virtual-apps/README.md describes what an app file may say.',
      details: { file }
    })
  }
}

/** The folder that should hold app files cannot be read. */
export class AppsFolderRefusal extends Refusal {
  readonly code = 'apps_folder_unusable'

  constructor (folder: string, cause: unknown) {
    super({
      message: `The folder ${folder} for apps of the virtual phones cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      retryable: false,
      nextAction: 'Name a folder with app files in devices.virtual.appsFolder (--devices-virtual-apps-folder), or leave the setting out.',
      details: { folder },
      cause
    })
  }
}
