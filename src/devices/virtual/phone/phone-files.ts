import { FileNotFoundRefusal, StorageFullRefusal } from '../../device-state-refusals.ts'
import type { FileInfo } from '../../file-commands.ts'
import type { PhoneState } from './phone-state.ts'

// Many phones share one process: what each may keep in its memory is little.
const mostFiles = 50
const mostBytes = 2_097_152

export function listFiles ({ files }: PhoneState): FileInfo[] {
  return [...files].map(([path, content]) => ({ path, bytes: content.length })).sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** @throws {StorageFullRefusal} */
export function writeFile ({ files }: PhoneState, path: string, content: Buffer): void {
  const before = files.get(path)
  const filesLeft = mostFiles - files.size + (before === undefined ? 0 : 1)
  const taken = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  const free = mostBytes - taken + (before?.length ?? 0)
  if (filesLeft <= 0 || content.length > free) throw new StorageFullRefusal({ path, needed: content.length, free, filesLeft })
  // A later change of the buffer must not change the file.
  files.set(path, Buffer.from(content))
}

/** @throws {FileNotFoundRefusal} */
export function readFile (state: PhoneState, path: string): Buffer {
  const content = state.files.get(path)
  if (content === undefined) throw notFound(state, path)
  return Buffer.from(content)
}

/** @throws {FileNotFoundRefusal} */
export function removeFile (state: PhoneState, path: string): void {
  if (!state.files.delete(path)) throw notFound(state, path)
}

function notFound (state: PhoneState, path: string): FileNotFoundRefusal {
  return new FileNotFoundRefusal(path, listFiles(state).map((file) => file.path))
}
