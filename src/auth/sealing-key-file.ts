/**
 * The sealing key file: the master keys of everything mooring seals (`sealed-string.ts`).
 *
 * Made at the first start and kept, so that what was sealed before a restart opens after it.
 * A key a line, in base64: the first one seals, and a second one, where there is one, still
 * opens what it sealed. Lines that begin with # say how to rotate. The file is read at start
 * and never written again.
 *
 * It is a private file like the token's. It is made under another name and then linked to its
 * own: of two processes that make it at once one wins, and the other reads what the first made.
 */
import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { masterKeyBytes, type SealingKeys } from '../protocol/sealed-string.ts'
import type { Ids } from '../runtime/ids.ts'
import {
  errorCodeOf, explainingPlace, prepareFolder, readPrivateFile, thisMachine, writePrivateFile, type Machine, type PrivateFileKind, type PrivateText
} from './private-file.ts'
import { SealingKeyUnsafeRefusal, SealingKeyUnwritableRefusal } from './sealing-key-refusals.ts'

const kind: PrivateFileKind = {
  placeFlags: '--state-dir',
  advice: {
    exposed: 'and replace the keys in it if others may have read it.',
    unreadable: 'Run mooring as the user that owns the file, or name another place with --state-dir.'
  },
  Unsafe: SealingKeyUnsafeRefusal,
  Unwritable: SealingKeyUnwritableRefusal
}

const maxKeys = 2

const explanation = `# Keys that mooring seals with what it hands to clients. The first one seals; a second one still opens.
# To rotate: put a new key (\`openssl rand -base64 32\`) in a line above the old one and restart.
# Take the old line away at a later restart; what was sealed with it is refused from then on.
`

/**
 * Reads the keys, and makes them if there are none yet.
 *
 * @throws {SealingKeyUnsafeRefusal} when the file, or its folder, is not this user's alone, or holds something else
 * @throws {SealingKeyUnwritableRefusal} when there is none and the folder does not let us make one
 */
export async function openSealingKeys (
  { file, ids, machine = thisMachine }: { readonly file: string, readonly ids: Ids, readonly machine?: Machine }
): Promise<SealingKeys> {
  return await explainingPlace(file, kind, async () => {
    await prepareFolder(file, kind, machine)
    const known = await readPrivateFile({ file, kind, machine })
    if (known !== undefined) return parseKeys(file, known)
    await makeKey(file, ids, machine)
    const made = await readPrivateFile({ file, kind, machine })
    if (made === undefined) throw new Error(`${file} went as soon as it was made`)
    return parseKeys(file, made)
  })
}

async function makeKey (file: string, ids: Ids, machine: Machine): Promise<void> {
  const { files, platform } = machine
  const text = `${explanation}${ids.bytes(masterKeyBytes).toString('base64')}\n`
  await writePrivateFile({ file, text, kind, ids, machine }, async (draft) => {
    try {
      await files.link(draft, file)
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error
    }
    await files.unlink(draft)
    // A folder is no file that Windows would flush.
    if (platform !== 'win32') await flushFolder(dirname(file), machine)
  })
}

async function flushFolder (folder: string, { files }: Machine): Promise<void> {
  const handle = await files.open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function parseKeys (file: string, { text, tooLarge }: PrivateText): SealingKeys {
  if (tooLarge) throw unusable(file, 'it is larger than any file of keys')
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  const [first, ...others] = lines.map((line) => readKey(file, line))
  if (first === undefined) throw unusable(file, 'it holds no key')
  if (lines.length > maxKeys) throw unusable(file, `it holds more than ${maxKeys} keys`)
  if (others.some((other) => other.equals(first))) throw unusable(file, 'it holds the same key twice')
  return [first, ...others]
}

/** Either alphabet of base64, as tools write it. */
function readKey (file: string, line: string): Buffer {
  const key = Buffer.from(line, 'base64')
  const spelled = line.replaceAll('-', '+').replaceAll('_', '/').replace(/=*$/, '')
  if (key.length !== masterKeyBytes || key.toString('base64').replace(/=*$/, '') !== spelled) {
    throw unusable(file, `a line of it is not a key of ${masterKeyBytes} bytes in base64`)
  }
  return key
}

function unusable (file: string, problem: string): SealingKeyUnsafeRefusal {
  return new SealingKeyUnsafeRefusal({
    file, problem, nextAction: 'Correct it, or remove the file and restart: a new one is made, and what was sealed before is refused.'
  })
}
