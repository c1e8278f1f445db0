import { lstatSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { StateDirectoryUnsafeRefusal } from '../store-refusals.ts'

/**
 * Refuses a place in which another user could put a file of its own under the name of the
 * database, or has. The rules are those of the token file (`auth/private-file.ts`).
 *
 * @throws {StateDirectoryUnsafeRefusal}
 */
export function refuseUnsafePlace (file: string): void {
  const folder = lstatSync(dirname(file))
  if (folder.isSymbolicLink()) throw unsafe(file, 'its folder is a symbolic link', 'Name the folder itself with --state-dir.')
  if (process.platform !== 'win32') {
    if (folder.uid !== 0 && !isOurs(folder)) {
      throw unsafe(file, 'its folder belongs to another user', 'Name a folder of your own with --state-dir.')
    }
    // In a folder with the sticky bit, like /tmp, others may add files but not replace ours.
    if ((folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0) {
      throw unsafe(file, 'others may write to its folder', `Run \`chmod go-w ${dirname(file)}\`, or name another folder with --state-dir.`)
    }
  }

  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts?.isSymbolicLink() === true) {
    throw unsafe(file, 'it is a symbolic link', 'Name the folder of the database itself with --state-dir, or remove the link.')
  }
  if (facts !== undefined && process.platform !== 'win32' && !isOurs(facts)) {
    throw unsafe(file, 'it belongs to another user', 'Name another folder with --state-dir.')
  }
}

function isOurs ({ uid }: Stats): boolean {
  return uid === process.getuid?.()
}

function unsafe (file: string, problem: string, nextAction: string): StateDirectoryUnsafeRefusal {
  return new StateDirectoryUnsafeRefusal({ file, problem, nextAction })
}
