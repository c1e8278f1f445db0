/**
 * The token file: how a process on this machine learns the token of the server on it.
 *
 * The server makes its token before it listens, and publishes it once it is ready: written
 * to a new file that only this user can open, then renamed into place, so that a reader sees
 * the old token or the new one and never a part. A file that somebody else could read or
 * replace is refused on both sides. The server removes the file when it stops, unless another
 * server has put its own token there meanwhile: what the file holds says whose it is.
 *
 * POSIX: the file is a regular file of this user, mode 0600, no symbolic link; its folder is
 * no link either, and nobody but this user and root can put another file in its place. That
 * others may see the names in a folder that was there before gives nothing away, so such a
 * folder keeps its mode; one that is made here is 0700. Windows has neither mode nor owner to
 * check, and refuses to rename over a file that anyone has open. The rename is tried again
 * for a while, but only as long as nobody else's file has come into place since the
 * beginning: a server that published first keeps its place.
 */
import { constants } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BigIntStats } from 'node:fs'
import type { Ids } from '../runtime/ids.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import {
  TokenFileMissingRefusal, TokenFileTakenRefusal, TokenFileUnsafeRefusal, TokenFileUnwritableRefusal
} from './token-file-refusals.ts'

export type FileFacts = Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'uid' | 'size' | 'mtimeNs' | 'isFile' | 'isSymbolicLink'>

export interface OpenFile {
  stat (options: { bigint: true }): Promise<FileFacts>
  read (buffer: Buffer): Promise<{ bytesRead: number }>
  writeFile (text: string): Promise<void>
  chmod (mode: number): Promise<void>
  sync (): Promise<void>
  close (): Promise<void>
}

/** The part of `node:fs/promises` that the token file needs. */
export interface TokenFiles {
  lstat (path: string, options: { bigint: true }): Promise<FileFacts>
  open (path: string, flags: string | number, mode?: number): Promise<OpenFile>
  rename (from: string, to: string): Promise<void>
  unlink (path: string): Promise<void>
}

/** What the rules of the token file depend on. */
export interface Machine {
  readonly files: TokenFiles
  readonly platform: NodeJS.Platform
  /** Whose files are ours; undefined on Windows. */
  readonly uid: number | undefined
}

const thisMachine: Machine = { files: nodeFiles, platform: process.platform, uid: process.getuid?.() }

const maxFileBytes = 4096

/** Together three seconds: a virus scanner or indexer lets go of a small file long before. */
const renameDelaysMs = [20, 40, 80, 160, 300, 600, 900, 900]

/** What Windows says while somebody has the file open. */
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
  const { files } = machine
  try {
    makeFolder(dirname(file))
    await refuseUnsafeFolder(file, machine)
    const before = await look(file, files)
    if (before !== undefined) refuseUnsafeFile(file, before, machine)

    const draft = `${file}.${ids.bytes(6).toString('hex')}.tmp`
    await writeDraft(draft, token, machine)
    try {
      await putInPlace({ draft, file, before, scheduler, signal, machine })
    } catch (error) {
      await files.unlink(draft).catch(() => undefined)
      throw error
    }
  } catch (error) {
    const problem = placeProblems.get(codeOf(error))
    if (problem === undefined) throw error
    throw new TokenFileUnwritableRefusal({ file, problem, cause: error })
  }
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
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))) return false
    if (error instanceof TokenFileMissingRefusal || error instanceof TokenFileUnsafeRefusal) return false
    throw error
  }
}

/**
 * Reads the token of the server that runs as this user.
 *
 * @throws {TokenFileMissingRefusal} when there is none
 * @throws {TokenFileUnsafeRefusal} when somebody else could have read or written it
 */
export async function readToken (
  { file, machine = thisMachine }: { readonly file: string, readonly machine?: Machine }
): Promise<string> {
  const handle = await openForReading(file, machine)
  try {
    const facts = await handle.stat({ bigint: true })
    refuseUnsafeFile(file, facts, machine)
    if (machine.platform !== 'win32' && (facts.mode & 0o7777n) !== 0o600n) {
      throw unsafe(file, 'others than its owner may use it', `Run \`chmod 600 ${file}\`, and restart the server if others may have read it.`)
    }

    // One byte more than allowed tells a file of the largest size from one that grew.
    const buffer = Buffer.alloc(maxFileBytes + 1)
    const { bytesRead } = await handle.read(buffer)
    const token = buffer.toString('utf8', 0, bytesRead).trim()
    if (bytesRead > maxFileBytes || !/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
      throw unsafe(file, 'it does not hold a token', 'Point --token-file at the token file of the server, or remove the file and restart the server.')
    }
    return token
  } finally {
    await handle.close()
  }
}

/** Opens the file itself, never what a link points at, and never waits for a pipe. */
async function openForReading (file: string, { files, platform }: Machine): Promise<OpenFile> {
  try {
    if (platform !== 'win32') return await files.open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)

    if ((await files.lstat(file, { bigint: true })).isSymbolicLink()) throw symbolicLink(file)
    return await files.open(file, constants.O_RDONLY)
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT': throw new TokenFileMissingRefusal(file)
      case 'ELOOP': throw symbolicLink(file)
      case 'ENXIO': throw notAFile(file)
      case 'EACCES': throw unsafe(file, 'this user may not read it', 'Run the client as the user that runs the server.')
      default: throw error
    }
  }
}

/** The file in place, whatever it is; undefined when there is none. */
async function look (file: string, files: TokenFiles): Promise<FileFacts | undefined> {
  try {
    return await files.lstat(file, { bigint: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function refuseUnsafeFile (file: string, facts: FileFacts, { platform, uid }: Machine): void {
  if (facts.isSymbolicLink()) throw symbolicLink(file)
  if (!facts.isFile()) throw notAFile(file)
  if (platform !== 'win32' && facts.uid !== BigInt(uid ?? -1)) {
    throw unsafe(file, 'it belongs to another user', 'Name another place with --token-file or --state-dir.')
  }
}

async function refuseUnsafeFolder (file: string, { files, platform, uid }: Machine): Promise<void> {
  const folder = dirname(file)
  const facts = await files.lstat(folder, { bigint: true })
  if (facts.isSymbolicLink()) {
    throw unsafe(file, 'its folder is a symbolic link', 'Name the folder itself with --token-file or --state-dir.')
  }
  if (platform === 'win32') return

  if (facts.uid !== 0n && facts.uid !== BigInt(uid ?? -1)) {
    throw unsafe(file, 'its folder belongs to another user', 'Name a place in a folder of your own with --token-file or --state-dir.')
  }
  // In a folder with the sticky bit, like /tmp, others may add files but not replace ours.
  if ((facts.mode & 0o022n) !== 0n && (facts.mode & 0o1000n) === 0n) {
    throw unsafe(file, 'others may write to its folder', `Run \`chmod go-w ${folder}\`, or name another place with --token-file or --state-dir.`)
  }
}

async function writeDraft (draft: string, token: string, { files, platform }: Machine): Promise<void> {
  const handle = await files.open(draft, 'wx', 0o600)
  try {
    // The process's umask may have taken away from 0600; it cannot have added.
    if (platform !== 'win32') await handle.chmod(0o600)
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } catch (error) {
    await files.unlink(draft).catch(() => undefined)
    throw error
  } finally {
    await handle.close()
  }
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
      // This may itself be a sharing violation; then nobody knows whose the file is.
      const now = await look(file, files)
      if (now !== undefined && !isSameFile(now, before)) throw new TokenFileTakenRefusal(file)
      return await files.rename(draft, file)
    } catch (error) {
      const delayMs = delaysMs.next().value
      if (delayMs === undefined || !sharingViolations.includes(codeOf(error))) throw error
      await new Promise<void>((resolve) => { scheduler.after(delayMs, resolve) })
    }
  }
}

function isSameFile (one: FileFacts, other: FileFacts | undefined): boolean {
  return one.dev === other?.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs
}

/** What the operating system says when it is the place, and not mooring, that is wrong. */
const placeProblems: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EBUSY', 'another program keeps it open'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['ENOENT', 'its folder is missing and cannot be made'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['EEXIST', 'a part of its path is no folder']
])

function unsafe (file: string, problem: string, nextAction: string): TokenFileUnsafeRefusal {
  return new TokenFileUnsafeRefusal({ file, problem, nextAction })
}

function symbolicLink (file: string): TokenFileUnsafeRefusal {
  return unsafe(file, 'it is a symbolic link', 'Name the place itself with --token-file, or remove the link.')
}

function notAFile (file: string): TokenFileUnsafeRefusal {
  return unsafe(file, 'it is not a regular file', 'Name another place with --token-file or --state-dir.')
}

/** The operating system's name for an error; empty for any other error. */
function codeOf (error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
