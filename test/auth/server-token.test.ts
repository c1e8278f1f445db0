import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execFileSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { findServerToken, type TokenSource } from '../../src/auth/server-token.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { scratchFile } from '../support/scratch-file.ts'

const given = 'a-token-of-the-operator-0123456789'

function setup (t: Test) {
  const file = scratchFile(t, 'token')
  const find = async (origin: TokenSource['origin'], more: Partial<TokenSource> = {}) =>
    await findServerToken({ origin, file, given: undefined, ids: randomIds, scheduler: systemScheduler, ...more })
  /** One life of a server: its token, and what the file held meanwhile and holds afterwards. */
  async function live (origin: TokenSource['origin']) {
    const { token, services } = await find(origin)
    for (const service of services) await service.start(new AbortController().signal)
    const meanwhile = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
    for (const service of services) await service.stop()
    return { token, meanwhile, afterwards: existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined }
  }
  return { file, find, live }
}

t.test('new: each start makes a token, which is in the file while the server runs', async (t) => {
  const { live } = setup(t)
  const [first, second] = [await live('new'), await live('new')]
  t.not(first.token, second.token)
  t.equal(first.meanwhile, first.token)
  t.equal(first.afterwards, undefined)
})

t.test('keep: the first start makes a token, and every later one finds it', async (t) => {
  const { live, file } = setup(t)
  const first = await live('keep')
  t.match(first.token, /^[A-Za-z0-9_-]{43}$/)
  t.equal(first.afterwards, first.token)
  const { ino } = statSync(file)

  const second = await live('keep')
  t.equal(second.token, first.token)
  t.equal(second.afterwards, first.token)
  t.equal(statSync(file).ino, ino, 'it is not written again')
})

t.test('keep: a file that others could read or that holds no token stops the start, and stays as it is', async (t) => {
  const { find, file } = setup(t)
  for (const text of ['', '\n', 'no token at all']) {
    writeFileSync(file, text, { mode: 0o600 })
    await t.rejects(find('keep'), { code: 'token_file_unsafe', message: /does not hold a token/ })
    t.equal(readFileSync(file, 'utf8'), text)
  }
  writeFileSync(file, given)
  chmodSync(file, 0o644)
  await t.rejects(find('keep'), { code: 'token_file_unsafe', nextAction: /chmod 600/ })
})

t.test('keep: a token that another server put there meanwhile is not written over', async (t) => {
  const { find, file } = setup(t)
  writeFileSync(file, given, { mode: 0o600 })
  const { token, services: [service] } = await find('keep')
  t.equal(token, given)
  writeFileSync(file, 'the-token-of-another-server', { mode: 0o600 })
  await t.rejects(async () => await service?.start(new AbortController().signal), { code: 'token_file_taken' })
  t.equal(readFileSync(file, 'utf8'), 'the-token-of-another-server')
})

t.test('file: the token of the operator is read, trimmed, and left alone', async (t) => {
  const { live, file } = setup(t)
  writeFileSync(file, `  ${given}\r\n`, { mode: 0o444 })
  t.match(await live('file'), { token: given, afterwards: given })
  t.equal(statSync(file).mode & 0o777, 0o444)
})

t.test('file: as in a pod, it may be a link into a folder of links', async (t) => {
  const { find, file } = setup(t)
  const folder = join(dirname(file), '..data')
  mkdirSync(folder)
  writeFileSync(join(folder, 'token'), given)
  symlinkSync('..data/token', file)
  t.equal((await find('file')).token, given)
})

t.test('file: what would let anybody in stops the start, and is not repeated', async (t) => {
  const { find, file } = setup(t)
  await t.rejects(find('file'), { code: 'token_unusable', message: /is missing/, details: { file } })
  for (const [text, problem] of [
    ['', /is empty/], [' \n\t', /is empty/], ['short', /could be guessed/], ['a token of several words in it', /is no token/],
    [`${given}\n${given}`, /is no token/], ['x'.repeat(5_000), /longer than 4096 bytes/], ['\u{feff}'.repeat(30), /is empty|is no token/]
  ] as const) {
    writeFileSync(file, text)
    const failure = await find('file').then(() => undefined, (error: Error) => error)
    t.match(failure, { code: 'token_unusable', message: problem }, JSON.stringify(text.slice(0, 20)))
    if (text.trim().length > 5) t.notMatch(failure?.message, text.trim().slice(0, 30))
  }
  writeFileSync(file, given)
  chmodSync(file, 0o666)
  await t.rejects(find('file'), { code: 'token_unusable', message: /can be written by every user/ })
})

t.test('file: a folder and a pipe are refused at once', async (t) => {
  const { find, file } = setup(t)
  await t.rejects(find('file', { file: dirname(file) }), { code: 'token_unusable', message: /not a regular file/ })
  execFileSync('mkfifo', [file])
  await t.rejects(find('file'), { code: 'token_unusable', message: /not a regular file/ })
})

t.test('variable: nothing is written', async (t) => {
  const { find, file } = setup(t)
  t.same(await find('variable', { given }), { token: given, services: [] })
  t.notOk(existsSync(file))
})
