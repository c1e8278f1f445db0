import { Refusal } from '../refusals/refusal.ts'

/** An app cannot be installed. */
export class InstallFailedRefusal extends Refusal {
  readonly code = 'install_failed'

  constructor ({ app, reason, nextAction, cause }: {
    readonly app: string
    /** As a clause. */
    readonly reason: string
    readonly nextAction: string
    readonly cause?: unknown
  }) {
    super({ message: `${app} cannot be installed: ${reason}`, retryable: false, nextAction, ...(cause === undefined ? {} : { cause }) })
  }
}

/** The app never asks for that permission. */
export class UnknownPermissionRefusal extends Refusal {
  readonly code = 'unknown_permission'

  constructor (app: string, permission: string, known: readonly string[]) {
    super({
      message: `App ${app} has no permission ${permission}.`,
      retryable: false,
      nextAction: known.length === 0 ? 'Go on without it: this app asks for no permissions.' : 'Use one of the permissions listed here.',
      details: { app, permissions: known.slice(0, 50) }
    })
  }
}

/** The phone does not know the language. */
export class InvalidLocaleRefusal extends Refusal {
  readonly code = 'invalid_locale'

  constructor (locale: string) {
    super({
      message: `${JSON.stringify(locale.slice(0, 60))} is no locale of this device.`,
      retryable: false,
      nextAction: 'Use a BCP 47 tag such as de-DE.'
    })
  }
}

/** The screen is being recorded, and only one recording at a time can be. */
export class AlreadyRecordingRefusal extends Refusal {
  readonly code = 'already_recording'

  constructor () {
    super({
      message: 'A recording has been started and not stopped yet.',
      retryable: false,
      nextAction: 'Stop it first; that keeps it as a file.'
    })
  }
}

/** A file is no recording that can be shown picture by picture. */
export class NoRecordingFileRefusal extends Refusal {
  readonly code = 'no_recording_file'

  constructor (path: string) {
    super({
      message: `${path} is no recording whose pictures can be told apart.`,
      retryable: false,
      nextAction: 'Name a file that recordScreen made, or read this one without `atMs`.',
      details: { path }
    })
  }
}

/** There is no recording to stop. */
export class NotRecordingRefusal extends Refusal {
  readonly code = 'not_recording'

  constructor () {
    super({
      message: 'Nothing is being recorded.',
      retryable: false,
      nextAction: 'Start a recording first.'
    })
  }
}

/** The folder for files has no room for one more. */
export class StorageFullRefusal extends Refusal {
  readonly code = 'storage_full'
  override readonly kind = 'limit'

  constructor ({ path, needed, free, filesLeft }: { readonly path: string, readonly needed: number, readonly free: number, readonly filesLeft: number }) {
    super({
      message: filesLeft > 0
        ? `There is no room for ${path}: it has ${needed} bytes, and ${free} are free.`
        : `There is no room for ${path}: the device holds no more files.`,
      retryable: false,
      nextAction: 'Remove files that are no longer needed, or use a smaller one.',
      details: { path, needed, free, filesLeft }
    })
  }
}

/** No file of the holder's has that path. */
export class FileNotFoundRefusal extends Refusal {
  readonly code = 'file_not_found'
  override readonly kind = 'not_found'

  constructor (path: string, files: readonly string[]) {
    super({
      message: `There is no file ${path}.`,
      retryable: false,
      nextAction: files.length === 0 ? 'Push it first: the folder is empty.' : 'Use one of the files listed here.',
      details: { path, files: files.slice(0, 20) }
    })
  }
}
