import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that are missing, for this user alone. One that is there
 * stays as it is.
 *
 * @throws what the system says when one of them cannot be made
 */
export function makeFolder (folder: string): void {
  // One by one: the recursive form of mkdir never returns where a folder that exists denies
  // that a new one has a parent, as /proc does.
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (isFolder(folder)) return
    const parent = dirname(folder)
    if (!isMissing(error) || parent === folder || isFolder(parent)) throw error
    makeFolder(parent)
    makeFolder(folder)
  }
}

function isFolder (path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function isMissing (error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
