import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Machine, PrivateFiles } from '../../src/auth/private-file.ts'
import { createToken, publishToken, readToken, removeToken } from '../../src/auth/token-file.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import type { Scheduler } from '../../src/runtime/scheduler.ts'

const token = 'the-token-of-this-server'
const otherToken = 'the-token-of-another-server'

function setup (t: Test, { files = nodeFiles as PrivateFiles, platform = 'linux' as NodeJS.Platform, uid = process.getuid?.() } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const machine: Machine = { files, platform, uid }
  const { signal } = new AbortController()
  const { scheduler, waitsMs } = impatientScheduler()

  function at (file: string) {
    return {
      publish: (own: string = token, stop: AbortSignal = signal) => publishToken({ file, token: own, ids: randomIds, scheduler, signal: stop, machine }),
      remove: (own: string = token) => removeToken({ file, token: own, machine }),
      read: () => readToken({ file, machine })
    }
  }

  const file = join(folder, 'state', 'token')
  return { folder, file, machine, waitsMs, at, ...at(file) }
}

/** Runs everything at once, and remembers how long it should have waited. */
function impatientScheduler (): { scheduler: Scheduler, waitsMs: number[] } {
  const waitsMs: number[] = []
  const scheduler: Scheduler = {
    after (delayMs, work) {
      waitsMs.push(delayMs)
      const turn = setImmediate(work)
      return () => clearImmediate(turn)
    },
    every () {
      throw new Error('nothing here repeats')
    }
  }
  return { scheduler, waitsMs }
}

function mode (path: string): string {
  return (statSync(path).mode & 0o7777).toString(8)
}

t.test('a token is 256 random bits in base64url', async (t) => {
  const first = createToken(randomIds)

  t.match(first, /^[A-Za-z0-9_-]{43}$/)
  t.not(createToken(randomIds), first)
})

t.test('what is published can be read, and only by this user', async (t) => {
  const { file, publish, read } = setup(t)

  await publish()

  t.equal(await read(), token)
  t.equal(mode(file), '600')
  t.equal(mode(join(file, '..')), '700')
  t.same(readdirSync(join(file, '..')), ['token'], 'nothing else is left in the folder')
})

t.test('a missing folder is made with all its parents', async (t) => {
  const { folder, at } = setup(t)
  const { publish, read } = at(join(folder, 'a', 'b', 'token'))

  await publish()

  t.equal(await read(), token)
  t.equal(mode(join(folder, 'a')), '700')
})

t.test('whatever the umask, the file has mode 0600', async (t) => {
  const { file, publish } = setup(t)
  const before = process.umask(0o277)
  t.teardown(() => process.umask(before))
  mkdirSync(join(file, '..'))
  chmodSync(join(file, '..'), 0o700)

  await publish()

  t.equal(mode(file), '600')
})

t.test('a token that a killed server left behind is replaced at once, never written over', async (t) => {
  const { file, publish, read } = setup(t)
  await publish(otherToken)
  linkSync(file, `${file}.held`)

  await publish()

  t.equal(await read(), token)
  t.equal(readFileSync(`${file}.held`, 'utf8').trim(), otherToken, 'a reader of the old file goes on reading the old token')
})

t.test('a file in place that is not ours alone is refused and left as it is', async (t) => {
  const inPlace: Record<string, (file: string) => void> = {
    'a symbolic link': (file) => {
      writeFileSync(`${file}.target`, 'precious')
      symlinkSync(`${file}.target`, file)
    },
    'a dangling symbolic link': (file) => symlinkSync(`${file}.nowhere`, file),
    'a folder': (file) => mkdirSync(file),
    'a named pipe': (file) => execFileSync('mkfifo', [file])
  }

  for (const [what, make] of Object.entries(inPlace)) {
    const { file, publish, read, remove } = setup(t)
    mkdirSync(join(file, '..'), { mode: 0o700 })
    make(file)
    const before = readdirSync(join(file, '..'))

    await t.rejects(publish(), { code: 'token_file_unsafe' }, `${what} is not replaced`)
    await t.rejects(read(), { code: 'token_file_unsafe' }, `${what} is not read`)
    t.equal(await remove('precious'), false, `${what} is not removed`)
    t.same(readdirSync(join(file, '..')), before)
  }
})

t.test('a file of another user is refused on both sides', async (t) => {
  const { file, machine, publish } = setup(t)
  await publish()
  const stranger: Machine = { ...machine, uid: (machine.uid ?? 0) + 1 }

  await t.rejects(readToken({ file, machine: stranger }), { code: 'token_file_unsafe', message: /belongs to another user/ })
  t.equal(await removeToken({ file, token, machine: stranger }), false)
})

t.test('a folder of another user is refused, one of root is not', async (t) => {
  const { file, publish } = setup(t, { files: folderOf(4711n), uid: 1000 })
  await t.rejects(publish(), { code: 'token_file_unsafe', message: /its folder belongs to another user/ })
  t.same(readdirSync(join(file, '..')), [])

  const ofRoot = setup(t, { files: folderOf(0n), uid: 1000 })
  await ofRoot.publish()
  t.equal(readFileSync(ofRoot.file, 'utf8').trim(), token)
})

/** Files of this machine, except that every folder belongs to `uid`. */
function folderOf (uid: bigint): PrivateFiles {
  return {
    ...nodeFiles,
    async lstat (path, options) {
      const facts = await nodeFiles.lstat(path, options)
      return facts.isDirectory() ? Object.assign(facts, { uid }) : facts
    }
  }
}

t.test('a folder that others may write to is refused, unless it is sticky', async (t) => {
  for (const writable of [0o770, 0o707, 0o777]) {
    const { file, publish } = setup(t)
    mkdirSync(join(file, '..'))
    chmodSync(join(file, '..'), writable)

    await t.rejects(publish(), { code: 'token_file_unsafe', message: /others may write to its folder/ })

    chmodSync(join(file, '..'), writable | 0o1000)
    await publish()
    t.equal(readFileSync(file, 'utf8').trim(), token)
  }
})

t.test('a folder that is a symbolic link is refused, on Windows too', async (t) => {
  for (const platform of ['linux', 'win32'] as const) {
    const { folder, at } = setup(t, { platform })
    mkdirSync(join(folder, 'real'), { mode: 0o700 })
    symlinkSync(join(folder, 'real'), join(folder, 'link'))

    await t.rejects(at(join(folder, 'link', 'token')).publish(), { code: 'token_file_unsafe', message: /its folder is a symbolic link/, nextAction: /--token-file/ })
    t.same(readdirSync(join(folder, 'real')), [])
  }
})

t.test('a folder that others may only read is taken as it is', async (t) => {
  const { file, publish, read } = setup(t)
  mkdirSync(join(file, '..'))
  chmodSync(join(file, '..'), 0o755)

  await publish()

  t.equal(await read(), token)
  t.equal(mode(join(file, '..')), '755')
})

t.test('where no file can be, publishing says so and removing finds nothing', async (t) => {
  const { folder, at } = setup(t)
  writeFileSync(join(folder, 'file'), '')
  const places = [join(folder, 'file', 'token'), join(folder, 'x'.repeat(300), 'token')]
  if (process.platform === 'linux') places.push('/proc/nope/token')

  for (const place of places) {
    await t.rejects(at(place).publish(), { code: 'token_file_unwritable' }, place)
    t.equal(await at(place).remove(), false, place)
  }
})

t.test('a reader refuses a file that others may use', async (t) => {
  const { file, publish, read } = setup(t)
  await publish()

  for (const loose of [0o640, 0o604, 0o660, 0o700, 0o400, 0o4600]) {
    chmodSync(file, loose)
    await t.rejects(read(), { code: 'token_file_unsafe', message: /others than its owner/ }, loose.toString(8))
  }
})

t.test('a reader trims white space, and refuses what is no token', async (t) => {
  const { file, publish, read } = setup(t)
  await publish()

  writeFileSync(file, ` \t${token}\r\n\n`)
  t.equal(await read(), token)

  for (const content of ['', '\n', 'two tokens', 'a\nb', 'ü', 'x'.repeat(4097), `${token}${' '.repeat(5000)}`, Buffer.from([0xff, 0x00])]) {
    writeFileSync(file, content)
    await t.rejects(read(), { code: 'token_file_unsafe', message: /does not hold a token/ })
  }
})

t.test('no error and no refusal says the token', async (t) => {
  const { file, publish, read } = setup(t)
  await publish()
  writeFileSync(file, `${token} and more`)

  const error: unknown = await read().catch((error: unknown) => error)

  t.notMatch(JSON.stringify(error), token)
  t.notMatch(String(error), token)
})

t.test('where no file is, a reader is told how to start a server, and nothing is removed', async (t) => {
  const { read, remove } = setup(t)

  await t.rejects(read(), { code: 'token_file_missing', retryable: true, nextAction: /mooring serve/ })
  t.equal(await remove(), false)
})

t.test('a server removes its own token and leaves another one alone', async (t) => {
  const { file, publish, read, remove } = setup(t)

  await publish(otherToken)
  t.equal(await remove(token), false)
  t.equal(await read(), otherToken)

  await publish(token)
  t.equal(await remove(token), true)
  t.same(readdirSync(join(file, '..')), [])
})

t.test('a folder that cannot be written says so and what to do', async (t) => {
  const { folder, at } = setup(t)
  writeFileSync(join(folder, 'file'), '')

  await t.rejects(at(join(folder, 'file', 'token')).publish(), { code: 'token_file_unwritable', message: /no folder/, nextAction: /--state-dir/ })
  await t.rejects(setup(t, { files: { ...nodeFiles, open: failing('EROFS') } }).publish(), { code: 'token_file_unwritable', message: /read-only/ })
})

t.test('what fails for no known reason stays an error, and leaves no draft behind', async (t) => {
  const { file, publish } = setup(t, { files: { ...nodeFiles, rename: failing('EIO') } })

  await t.rejects(publish(), { code: 'EIO' })

  t.same(readdirSync(join(file, '..')), [])
})

function systemError (code: string): Error {
  return Object.assign(new Error(`${code}: by the test`), { code })
}

function failing (code: string): () => Promise<never> {
  return async () => { throw systemError(code) }
}

t.test('an aborted publication leaves nothing behind', async (t) => {
  const { file, publish } = setup(t)

  await t.rejects(publish(token, AbortSignal.abort(new Error('stopping'))), { message: 'stopping' })

  t.same(readdirSync(join(file, '..')), [])
})

t.test('elsewhere than on Windows a failed rename is not tried again', async (t) => {
  let renames = 0
  const { publish } = setup(t, {
    files: {
      ...nodeFiles,
      async rename () {
        renames++
        throw systemError('EPERM')
      }
    }
  })

  await t.rejects(publish(), { code: 'token_file_unwritable' })
  t.equal(renames, 1)
})

/**
 * Windows, as far as the token file can tell: the first renames fail, as many as the test
 * says, and `meanwhile` is what others do after each of them.
 */
function onWindows (
  t: Test,
  { failures, code = 'EPERM', unseen = 0, meanwhile = () => {} }: {
    failures: number, code?: string, unseen?: number, meanwhile?: (file: string) => void
  }
) {
  const tries = { renames: 0, looksInVain: 0 }
  const files: PrivateFiles = {
    ...nodeFiles,
    async lstat (path, options) {
      if (tries.renames > 0 && tries.looksInVain < unseen) {
        tries.looksInVain++
        throw systemError('EBUSY')
      }
      return await nodeFiles.lstat(path, options)
    },
    async rename (from, to) {
      tries.renames++
      if (tries.renames > failures) return await nodeFiles.rename(from, to)
      meanwhile(to)
      throw systemError(code)
    }
  }
  const made = setup(t, { files, platform: 'win32', uid: undefined })
  mkdirSync(join(made.file, '..'))
  return { ...made, tries }
}

for (const code of ['EPERM', 'EBUSY', 'EACCES']) {
  t.test(`Windows: a rename that fails with ${code} is tried again, later and later`, async (t) => {
    const { publish, tries, waitsMs, file } = onWindows(t, { failures: 4, code })

    await publish()

    t.equal(tries.renames, 5)
    t.same(waitsMs, [20, 40, 80, 160])
    t.equal(readFileSync(file, 'utf8').trim(), token)
  })
}

t.test('Windows: any other failure is not tried again', async (t) => {
  const { publish, tries } = onWindows(t, { failures: 1, code: 'ENOSPC' })

  await t.rejects(publish(), { code: 'token_file_unwritable' })
  t.equal(tries.renames, 1)
})

t.test('Windows: a file that nobody lets go of is given up after three seconds, and no draft is left', async (t) => {
  const { publish, waitsMs, file } = onWindows(t, { failures: Infinity })
  writeFileSync(file, otherToken)

  await t.rejects(publish(), { code: 'token_file_unwritable' })

  t.equal(waitsMs.reduce((sum, ms) => sum + ms, 0), 3000)
  t.same(readdirSync(join(file, '..')), ['token'])
  t.equal(readFileSync(file, 'utf8'), otherToken)
})

t.test('Windows: a server that published meanwhile keeps its place, and its token is never ours', async (t) => {
  for (const before of ['no file', 'an old file']) {
    const { publish, remove, tries, file } = onWindows(t, {
      failures: 2,
      meanwhile (file) {
        writeFileSync(`${file}.theirs`, otherToken)
        renameSync(`${file}.theirs`, file)
      }
    })
    if (before === 'an old file') writeFileSync(file, 'the-token-of-a-dead-server')

    await t.rejects(publish(), { code: 'token_file_taken' }, before)

    t.equal(tries.renames, 1, 'no rename was tried after theirs')
    t.same(readdirSync(join(file, '..')), ['token'])
    t.equal(await remove(), false)
    t.equal(readFileSync(file, 'utf8'), otherToken, 'still theirs after we stopped')
  }
})

t.test('Windows: a file that its server removed meanwhile is nobody\'s any more', async (t) => {
  const { publish, file } = onWindows(t, { failures: 1, meanwhile: (file) => rmSync(file) })
  writeFileSync(file, otherToken)

  await publish()

  t.equal(readFileSync(file, 'utf8').trim(), token)
})

t.test('Windows: while the file cannot be looked at, no rename is tried', async (t) => {
  const { publish, tries, waitsMs, file } = onWindows(t, { failures: 1, unseen: 3 })

  await publish()

  t.same(tries, { renames: 2, looksInVain: 3 })
  t.equal(waitsMs.length, 4)
  t.equal(readFileSync(file, 'utf8').trim(), token)
})

t.test('Windows: a publication aborted while it waits leaves nothing behind', async (t) => {
  const stop = new AbortController()
  const { publish, tries, file } = onWindows(t, { failures: 3, meanwhile: () => stop.abort(new Error('stopping')) })

  await t.rejects(publish(token, stop.signal), { message: 'stopping' })

  t.equal(tries.renames, 1)
  t.same(readdirSync(join(file, '..')), [])
})

t.test('Windows: mode and owner are not looked at, links are', async (t) => {
  const { file, publish, read } = onWindows(t, { failures: 0 })
  await publish()
  chmodSync(file, 0o644)
  t.equal(await read(), token)

  rmSync(file)
  writeFileSync(`${file}.target`, token)
  symlinkSync(`${file}.target`, file)
  await t.rejects(read(), { code: 'token_file_unsafe' })
  await t.rejects(publish(), { code: 'token_file_unsafe' })
})
