import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'

/** The name of our own folder inside one that belongs to another user. */
const ownName = 'mooring'
const databaseName = 'mooring.sqlite'

/**
 * The folder for what mooring keeps, where `folder` is the one that is set.
 *
 * A volume of Kubernetes belongs to root, and a group of ours may write to it. Secrets must not lie
 * in a folder that others may write to, so mooring then uses a folder of its own inside. A folder
 * that has a database already stays the one that is used.
 */
export function findStateFolder (folder: string, { uid = process.getuid?.() }: { readonly uid?: number | undefined } = {}): string {
  // Windows has no owners to compare, and root may write everywhere.
  if (uid === undefined || uid === 0) return folder
  try {
    const { uid: owner } = lstatSync(folder)
    if (owner === uid || existsSync(join(folder, databaseName))) return folder
    accessSync(folder, constants.W_OK | constants.X_OK)
    return join(folder, ownName)
  } catch {
    // The folder is made later, or opening the database says what is wrong with it.
    return folder
  }
}
