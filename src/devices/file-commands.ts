import type { Command } from './device-types.ts'

/**
 * Paths in the one folder of a phone that holders may use: up to four names of letters, digits,
 * `.`, `-` and `_`, none of which begins with a dot. There is no way out of the folder.
 */
export const filePathPattern = /^[A-Za-z0-9_][\w.-]{0,63}(\/[A-Za-z0-9_][\w.-]{0,63}){0,3}$/

export interface FileInfo {
  readonly path: string
  readonly bytes: number
}

/** Commands for the files of a holder. The folder is empty in the home state. */
export interface FileCommands {
  /** Ordered by path. */
  listFiles (command: Command): Promise<readonly FileInfo[]>

  /**
   * Writes a file, in place of one that has the path already.
   *
   * @throws {StorageFullRefusal}
   */
  pushFile (path: string, content: Buffer, command: Command): Promise<void>

  /** @throws {FileNotFoundRefusal} */
  pullFile (path: string, command: Command): Promise<Buffer>

  /** @throws {FileNotFoundRefusal} */
  removeFile (path: string, command: Command): Promise<void>
}
