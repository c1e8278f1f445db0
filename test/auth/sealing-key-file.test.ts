import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Machine, PrivateFiles } from '../../src/auth/private-file.ts'
import { openSealingKeys } from '../../src/auth/sealing-key-file.ts'
import { randomIds } from '../../src/runtime/ids.ts'

const [oldKey, newKey] = [Buffer.alloc(32, 0xfb), Buffer.alloc(32, 2)]

function setup (t: Test, files: PrivateFiles = nodeFiles as PrivateFiles) {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const machine: Machine = { files, platform: 'linux', uid: process.getuid?.() }
  const file = join(folder, 'sealing-key')

  function write (text: string): void {
    writeFileSync(file, text)
    chmodSync(file, 0o600)
  }
  return { folder, file, machine, write, open: () => openSealingKeys({ file, ids: randomIds, machine }) }
}

t.test('the first start makes a key that only this user can read; every later one finds it', async (t) => {
  const { folder, file, open } = setup(t)

  const made = await open()

  t.same(await open(), made)
  t.equal(made.length, 1)
  t.equal(made[0].length, 32)
  t.equal((statSync(file).mode & 0o7777).toString(8), '600')
  t.same(readdirSync(folder), ['sealing-key'], 'nothing else is left in the folder')
  t.match(readFileSync(file, 'utf8'), /To rotate: .*openssl rand -base64 32/)
})

t.test('the key is on the disk before it has its name, and its name before it is used', async (t) => {
  const steps: string[] = []
  const { open } = setup(t, recording(steps))

  await open()

  t.same(steps.filter((step) => !step.startsWith('read')), ['open wx', 'sync file', 'link', 'unlink', 'sync folder'])
})

/** Files of this machine that say what is done to them. */
function recording (steps: string[]): PrivateFiles {
  return {
    ...nodeFiles,
    async link (from, to) {
      steps.push('link')
      await nodeFiles.link(from, to)
    },
    async unlink (path) {
      steps.push('unlink')
      await nodeFiles.unlink(path)
    },
    async open (path, flags, mode) {
      steps.push(flags === 'wx' ? 'open wx' : 'read')
      const handle = await nodeFiles.open(path, flags, mode)
      const sync = handle.sync.bind(handle)
      return Object.assign(handle, {
        async sync () {
          steps.push(flags === 'wx' ? 'sync file' : 'sync folder')
          await sync()
        }
      })
    }
  }
}

t.test('of several that make the key at once one wins, and all have its key', async (t) => {
  const { folder, file, machine } = setup(t)

  const all = await Promise.all(Array.from({ length: 8 }, () => openSealingKeys({ file, ids: randomIds, machine })))

  for (const keys of all) t.same(keys, all[0])
  t.same(readdirSync(folder), ['sealing-key'])
})

t.test('rotation: the first line seals and the second one opens; either alphabet of base64 will do', async (t) => {
  const { write, open } = setup(t)

  write(`# a comment\n\n${newKey.toString('base64')}\n  ${oldKey.toString('base64')}\r\n`)
  t.same(await open(), [newKey, oldKey])
  write(`${oldKey.toString('base64url')}\n`)
  t.same(await open(), [oldKey])
})

t.test('a file that holds something else is refused, and never written over', async (t) => {
  const { file, write, open } = setup(t)
  const key = newKey.toString('base64')

  for (const [text, problem] of [
    ['', /holds no key/],
    ['# only words\n', /holds no key/],
    ['key', /not a key of 32 bytes/],
    [Buffer.alloc(31).toString('base64'), /not a key/],
    [Buffer.alloc(33).toString('base64'), /not a key/],
    [`${key}!`, /not a key/],
    [`${key}\n${key}`, /the same key twice/],
    [`${key}\n${oldKey.toString('base64')}\n${Buffer.alloc(32, 3).toString('base64')}`, /more than 2/],
    [`${key}\n${'#'.repeat(5_000)}`, /larger/]
  ] as const) {
    write(text)
    await t.rejects(open(), { code: 'sealing_key_unsafe', message: problem, nextAction: String })
    t.equal(readFileSync(file, 'utf8'), text)
  }
})

t.test('no refusal says a key', async (t) => {
  const { write, open } = setup(t)
  const key = newKey.toString('base64')
  write(`${key} and more`)

  const error: unknown = await open().catch((error: unknown) => error)

  t.notMatch(`${JSON.stringify(error)}${String(error)}`, key)
})

t.test('a file or a folder that is not this user\'s alone is refused', async (t) => {
  const { folder, file, machine, write, open } = setup(t)
  write(newKey.toString('base64'))

  for (const loose of [0o640, 0o604, 0o400, 0o700]) {
    chmodSync(file, loose)
    await t.rejects(open(), { code: 'sealing_key_unsafe', message: /others than its owner/, nextAction: /chmod 600/ })
  }
  chmodSync(file, 0o600)
  await t.rejects(openSealingKeys({ file, ids: randomIds, machine: { ...machine, uid: (machine.uid ?? 0) + 1 } }), { code: 'sealing_key_unsafe' })

  chmodSync(folder, 0o777)
  await t.rejects(open(), { code: 'sealing_key_unsafe', message: /others may write to its folder/, nextAction: /--state-dir/ })
  chmodSync(folder, 0o700)
  linkSync(file, `${file}.other`)
  rmSync(file)
  symlinkSync(`${file}.other`, file)
  await t.rejects(open(), { code: 'sealing_key_unsafe', message: /symbolic link/ })
  rmSync(file)
  mkdirSync(file)
  await t.rejects(open(), { code: 'sealing_key_unsafe', message: /regular file/ })
})

t.test('a folder that cannot be written says so, and no draft is left', async (t) => {
  const failing = (code: string) => async (): Promise<never> => { throw Object.assign(new Error(code), { code }) }

  const readOnly = setup(t, { ...nodeFiles, link: failing('EROFS') })
  await t.rejects(readOnly.open(), { code: 'sealing_key_unwritable', message: /read-only/, nextAction: /--state-dir/ })
  t.same(readdirSync(readOnly.folder), [])

  const broken = setup(t, { ...nodeFiles, link: failing('EIO') })
  await t.rejects(broken.open(), { code: 'EIO' })
  t.same(readdirSync(broken.folder), [])
})
