/**
 * A token that an operator gives the server, in a file or a variable, instead of having one made.
 *
 * It is read once, at the start, and never written. What cannot keep callers out stops the start:
 * a server whose token is empty would be open to all, one whose token can be guessed nearly so.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { errorCodeOf } from './private-file.ts'
import { TokenUnusableRefusal } from './token-file-refusals.ts'

/** As long as 128 random bits are in base64 (RPC-10). */
const shortest = 22
const maxFileBytes = 4_096

/** @returns what is wrong with a token, to be read after a name for where it stands; undefined when it will do */
export function tokenProblem (token: string): string | undefined {
  if (token === '') return 'is empty'
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return 'is no token: it may hold letters, digits and - . _ ~ + / alone, and = at its end'
  if (token.length < shortest) return `is shorter than ${shortest} characters, so that it could be guessed`
  return undefined
}

/**
 * Reads the token in a file of the operator's.
 *
 * The file may be a link and belong to another user, as the secrets of Kubernetes and Docker are, and
 * be readable for others; it must not be writable for all.
 *
 * @throws {TokenUnusableRefusal} when there is none that will do
 */
export async function readGivenToken (file: string): Promise<string> {
  const text = await readText(file)
  const token = text.trim()
  const problem = tokenProblem(token)
  if (problem !== undefined) throw new TokenUnusableRefusal(file, problem)
  return token
}

async function readText (file: string): Promise<string> {
  // A pipe that nothing writes to would be waited for otherwise.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new TokenUnusableRefusal(file, openProblems.get(errorCodeOf(error)) ?? 'cannot be read', error)
  })
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) throw new TokenUnusableRefusal(file, 'is not a regular file')
    if (process.platform !== 'win32' && (facts.mode & 0o002) !== 0) throw new TokenUnusableRefusal(file, 'can be written by every user')
    const buffer = Buffer.alloc(maxFileBytes + 1)
    const { bytesRead } = await handle.read(buffer)
    if (bytesRead > maxFileBytes) throw new TokenUnusableRefusal(file, `is longer than ${maxFileBytes} bytes`)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

const openProblems: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'is missing'],
  ['ENOTDIR', 'is missing'],
  ['EACCES', 'cannot be read by this user'],
  ['ELOOP', 'is a link that leads nowhere']
])
