/**
 * The token file: how a process on this machine learns the token of the server on it.
 *
 * The server makes its token before it listens, and publishes it once it is ready: written
 * to a new file that only this user can open, then renamed into place, so that a reader sees
 * the old token or the new one and never a part. A file that another user could read or
 * replace is refused on both sides. The server removes the file when it stops, unless another
 * server has put its own token there meanwhile: what the file holds says whose it is.
 *
 * What makes the file ours alone is told in `private-file.ts`. Windows refuses to rename over
 * a file that a process has open. The rename is tried again for a while, but only as long as
 * no other server's file has come into place since the beginning: a server that published first
 * keeps its place.
 */
import type { Ids } from '../runtime/ids.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import {
  errorCodeOf, explainingPlace, lookAt, prepareFolder, readPrivateFile, refuseUnsafeFile, thisMachine, writePrivateFile,
  type FileFacts, type Machine, type PrivateFileKind
} from './private-file.ts'
import {
  TokenFileMissingRefusal, TokenFileTakenRefusal, TokenFileUnsafeRefusal, TokenFileUnwritableRefusal
} from './token-file-refusals.ts'

const kind: PrivateFileKind = {
  placeFlags: '--token-file or --state-dir',
  advice: {
    exposed: 'and restart the server if others may have read it.',
    unreadable: 'Run the client as the user that runs the server.'
  },
  Unsafe: TokenFileUnsafeRefusal,
  Unwritable: TokenFileUnwritableRefusal
}

/** Together three seconds: a virus scanner or indexer lets go of a small file long before. */
const renameDelaysMs = [20, 40, 80, 160, 300, 600, 900, 900]

/** What Windows says while a process has the file open. */
const sharingViolations = ['EPERM', 'EBUSY', 'EACCES']

/** A new token: 256 random bits, base64url. */
export function createToken (ids: Ids): string {
  return ids.bytes(32).toString('base64url')
}

/**
 * Puts the token in place for the clients of this user.
 *
 * @throws {TokenFileUnsafeRefusal} when the file in place, or its folder, is not this user's alone
 * @throws {TokenFileTakenRefusal} when another server published while we waited for the file
 * @throws {TokenFileUnwritableRefusal} when the folder does not let us
 */
export async function publishToken (
  { file, token, ids, scheduler, signal, machine = thisMachine }: {
    readonly file: string
    readonly token: string
    readonly ids: Ids
    readonly scheduler: Scheduler
    /** Aborts the publication; once it has happened, `removeToken` is what undoes it. */
    readonly signal: AbortSignal
    readonly machine?: Machine
  }
): Promise<void> {
  await explainingPlace(file, kind, async () => {
    await prepareFolder(file, kind, machine)
    const before = await lookAt(file, machine.files)
    if (before !== undefined) refuseUnsafeFile(file, before, kind, machine)
    await writePrivateFile({ file, text: `${token}\n`, kind, ids, machine }, async (draft) => {
      await putInPlace({ draft, file, before, scheduler, signal, machine })
    })
  })
}

/**
 * Removes the token file if it still holds `token`.
 *
 * @returns whether it did
 */
export async function removeToken (
  { file, token, machine = thisMachine }: { readonly file: string, readonly token: string, readonly machine?: Machine }
): Promise<boolean> {
  try {
    if (await readToken({ file, machine }) !== token) return false
    // Between these two lines another server may publish; it would have to be within
    // microseconds, and its clients would be told that the file is missing.
    await machine.files.unlink(file)
    return true
  } catch (error) {
    // Where nothing can be, nothing was published.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCodeOf(error))) return false
    if (error instanceof TokenFileMissingRefusal || error instanceof TokenFileUnsafeRefusal) return false
    throw error
  }
}

/**
 * Reads the token of the server that runs as this user.
 *
 * @throws {TokenFileMissingRefusal} when there is none
 * @throws {TokenFileUnsafeRefusal} when another user could have read or written it
 */
export async function readToken (
  { file, machine = thisMachine }: { readonly file: string, readonly machine?: Machine }
): Promise<string> {
  const read = await readPrivateFile({ file, kind, machine })
  if (read === undefined) throw new TokenFileMissingRefusal(file)
  const token = read.text.trim()
  if (read.tooLarge || !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    throw new TokenFileUnsafeRefusal({
      file,
      problem: 'it does not hold a token',
      nextAction: 'Point --token-file at the token file of the server, or remove the file and restart the server.'
    })
  }
  return token
}

async function putInPlace (
  { draft, file, before, scheduler, signal, machine: { files, platform } }: {
    readonly draft: string
    readonly file: string
    readonly before: FileFacts | undefined
    readonly scheduler: Scheduler
    readonly signal: AbortSignal
    readonly machine: Machine
  }
): Promise<void> {
  const delaysMs = (platform === 'win32' ? renameDelaysMs : []).values()

  while (true) {
    signal.throwIfAborted()
    try {
      // This may itself be a sharing violation; then it is not known whose the file is.
      const now = await lookAt(file, files)
      if (now !== undefined && !isSameFile(now, before)) throw new TokenFileTakenRefusal(file)
      return await files.rename(draft, file)
    } catch (error) {
      const delayMs = delaysMs.next().value
      if (delayMs === undefined || !sharingViolations.includes(errorCodeOf(error))) throw error
      await new Promise<void>((resolve) => { scheduler.after(delayMs, resolve) })
    }
  }
}

function isSameFile (one: FileFacts, other: FileFacts | undefined): boolean {
  return one.dev === other?.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs
}
