import type { Command } from './device-types.ts'

/**
 * Paths in the one folder of a phone that holders may use: up to four names of letters, digits,
 * `.`, `-` and `_`, none of which begins with a dot. There is no way out of the folder.
 */
export const filePathPattern = /^[A-Za-z0-9_][\w.-]{0,63}(\/[A-Za-z0-9_][\w.-]{0,63}){0,3}$/

/** What keeps a text from being such a path, as the end of a sentence about it; undefined when nothing does. */
export function filePathProblem (path: string): string | undefined {
  if (filePathPattern.test(path)) return undefined
  if (path === '') return 'is empty'
  if (path.startsWith('/')) return 'begins with a /: it is a path within your own folder'
  const names = path.split('/')
  if (names.includes('')) return 'has an empty name, before, after or between its /'
  if (names.length > 4) return `is ${names.length} names deep; 4 are the most`
  const long = names.find((name) => name.length > 64)
  if (long !== undefined) return `has a name of ${long.length} characters; 64 are the most`
  if (names.some((name) => /^[.-]/.test(name))) return 'has a name that begins with . or -'
  const strange = [...path].find((character) => !/[\w./-]/.test(character)) ?? ''
  return `has ${strange === ' ' ? 'a blank' : JSON.stringify(strange)} in it; names have letters A to Z, digits, ., - and _`
}

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
