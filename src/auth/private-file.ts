/**
 * Private files: small secrets that only this user may read, in a place where no other user
 * can put something else.
 *
 * POSIX: the file is a regular file of this user, mode 0600, no symbolic link; its folder is no
 * link either, and only this user and root can put another file in its place. That others
 * may see the names in a folder that was there before gives nothing away, so such a folder keeps
 * its mode; one that is made here is 0700. Windows has neither mode nor owner to check. A new
 * file is written under another name, that only this user can open, and reaches the disk before
 * it gets its own: a reader sees all of it or none.
 */
import { constants } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BigIntStats } from 'node:fs'
import type { Refusal } from '../refusals/refusal.ts'
import type { Ids } from '../runtime/ids.ts'
import { makeFolder } from '../runtime/make-folder.ts'

export type FileFacts = Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'uid' | 'size' | 'mtimeNs' | 'isFile' | 'isSymbolicLink'>

export interface OpenFile {
  stat (options: { bigint: true }): Promise<FileFacts>
  read (buffer: Buffer): Promise<{ bytesRead: number }>
  writeFile (text: string): Promise<void>
  chmod (mode: number): Promise<void>
  sync (): Promise<void>
  close (): Promise<void>
}

/** The part of `node:fs/promises` that private files need. */
export interface PrivateFiles {
  lstat (path: string, options: { bigint: true }): Promise<FileFacts>
  open (path: string, flags: string | number, mode?: number): Promise<OpenFile>
  rename (from: string, to: string): Promise<void>
  link (from: string, to: string): Promise<void>
  unlink (path: string): Promise<void>
}

/** What the rules of private files depend on. */
export interface Machine {
  readonly files: PrivateFiles
  readonly platform: NodeJS.Platform
  /** Whose files are ours; undefined on Windows. */
  readonly uid: number | undefined
}

export const thisMachine: Machine = { files: nodeFiles, platform: process.platform, uid: process.getuid?.() }

/** How one kind of private file says "no". */
export interface PrivateFileKind {
  /** The flags that name another place, as in "… with --state-dir". */
  readonly placeFlags: string
  /** What else to do after others had access, and when this user has none. */
  readonly advice: { readonly exposed: string, readonly unreadable: string }
  readonly Unsafe: new (facts: { readonly file: string, readonly problem: string, readonly nextAction: string }) => Refusal
  readonly Unwritable: new (facts: { readonly file: string, readonly problem: string, readonly cause: unknown }) => Refusal
}

const maxFileBytes = 4096

export interface PrivateText {
  readonly text: string
  /** The file goes on beyond the text: it is none of ours. */
  readonly tooLarge: boolean
}

/**
 * Reads the file.
 *
 * @returns undefined when there is none
 * @throws the kind's `Unsafe` refusal when another user could have read or written it
 */
export async function readPrivateFile (
  { file, kind, machine }: { readonly file: string, readonly kind: PrivateFileKind, readonly machine: Machine }
): Promise<PrivateText | undefined> {
  const handle = await openForReading(file, kind, machine)
  if (handle === undefined) return undefined
  try {
    const facts = await handle.stat({ bigint: true })
    refuseUnsafeFile(file, facts, kind, machine)
    if (machine.platform !== 'win32' && (facts.mode & 0o7777n) !== 0o600n) {
      throw unsafe(kind, file, 'others than its owner may use it', `Run \`chmod 600 ${file}\`, ${kind.advice.exposed}`)
    }

    // One byte more than allowed tells a file of the largest size from one that grew.
    const buffer = Buffer.alloc(maxFileBytes + 1)
    const { bytesRead } = await handle.read(buffer)
    return { text: buffer.toString('utf8', 0, bytesRead), tooLarge: bytesRead > maxFileBytes }
  } finally {
    await handle.close()
  }
}

/** Opens the file itself, never what a link points at, and never waits for a pipe. */
async function openForReading (file: string, kind: PrivateFileKind, { files, platform }: Machine): Promise<OpenFile | undefined> {
  try {
    if (platform !== 'win32') return await files.open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)

    if ((await files.lstat(file, { bigint: true })).isSymbolicLink()) throw symbolicLink(kind, file)
    return await files.open(file, constants.O_RDONLY)
  } catch (error) {
    switch (errorCodeOf(error)) {
      case 'ENOENT': return undefined
      case 'ELOOP': throw symbolicLink(kind, file)
      case 'ENXIO': throw notAFile(kind, file)
      case 'EACCES': throw unsafe(kind, file, 'this user may not read it', kind.advice.unreadable)
      default: throw error
    }
  }
}

/** The file in place, whatever it is; undefined when there is none. */
export async function lookAt (file: string, files: PrivateFiles): Promise<FileFacts | undefined> {
  try {
    return await files.lstat(file, { bigint: true })
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

export function refuseUnsafeFile (file: string, facts: FileFacts, kind: PrivateFileKind, { platform, uid }: Machine): void {
  if (facts.isSymbolicLink()) throw symbolicLink(kind, file)
  if (!facts.isFile()) throw notAFile(kind, file)
  if (platform !== 'win32' && facts.uid !== BigInt(uid ?? -1)) {
    throw unsafe(kind, file, 'it belongs to another user', `Name another place with ${kind.placeFlags}.`)
  }
}

/** Makes the file's folder if it is missing, and refuses one in which others could replace the file. */
export async function prepareFolder (file: string, kind: PrivateFileKind, { files, platform, uid }: Machine): Promise<void> {
  const folder = dirname(file)
  makeFolder(folder)
  const facts = await files.lstat(folder, { bigint: true })
  if (facts.isSymbolicLink()) {
    throw unsafe(kind, file, 'its folder is a symbolic link', `Name the folder itself with ${kind.placeFlags}.`)
  }
  if (platform === 'win32') return

  if (facts.uid !== 0n && facts.uid !== BigInt(uid ?? -1)) {
    throw unsafe(kind, file, 'its folder belongs to another user', `Name a place in a folder of your own with ${kind.placeFlags}.`)
  }
  // In a folder with the sticky bit, like /tmp, others may add files but not replace ours.
  if ((facts.mode & 0o022n) !== 0n && (facts.mode & 0o1000n) === 0n) {
    throw unsafe(kind, file, 'others may write to its folder', `Run \`chmod go-w ${folder}\`, or name another place with ${kind.placeFlags}.`)
  }
}

/**
 * Writes `text` beside `file`, to the disk, and lets `putInPlace` give the draft its name.
 * Whether or not that succeeds, no draft stays.
 *
 * @throws the kind's `Unwritable` refusal when it is the place that is wrong
 */
export async function writePrivateFile (
  { file, text, kind, ids, machine }: {
    readonly file: string
    readonly text: string
    readonly kind: PrivateFileKind
    readonly ids: Ids
    readonly machine: Machine
  },
  putInPlace: (draft: string) => Promise<void>
): Promise<void> {
  const { files } = machine
  const draft = `${file}.${ids.bytes(6).toString('hex')}.tmp`
  await writeDraft(draft, text, machine)
  try {
    await putInPlace(draft)
  } catch (error) {
    await files.unlink(draft).catch(() => undefined)
    throw error
  }
}

async function writeDraft (draft: string, text: string, { files, platform }: Machine): Promise<void> {
  const handle = await files.open(draft, 'wx', 0o600)
  try {
    // The process's umask may have taken away from 0600; it cannot have added.
    if (platform !== 'win32') await handle.chmod(0o600)
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await files.unlink(draft).catch(() => undefined)
    throw error
  } finally {
    await handle.close()
  }
}

/** Turns what the operating system says when it is the place, and not mooring, that is wrong. */
export async function explainingPlace<T> (file: string, kind: PrivateFileKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem = placeProblems.get(errorCodeOf(error))
    if (problem === undefined) throw error
    throw new kind.Unwritable({ file, problem, cause: error })
  }
}

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

function unsafe (kind: PrivateFileKind, file: string, problem: string, nextAction: string): Refusal {
  return new kind.Unsafe({ file, problem, nextAction })
}

function symbolicLink (kind: PrivateFileKind, file: string): Refusal {
  return unsafe(kind, file, 'it is a symbolic link', `Name the place itself with ${kind.placeFlags}, or remove the link.`)
}

function notAFile (kind: PrivateFileKind, file: string): Refusal {
  return unsafe(kind, file, 'it is not a regular file', `Name another place with ${kind.placeFlags}.`)
}

/** The operating system's name for an error; empty for any other error. */
export function errorCodeOf (error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
