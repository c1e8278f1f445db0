import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { leftBehind, surroundings } from './surroundings.ts'

t.test('what a test puts back is not left behind, nor is what ends in time', async (t) => {
  const before = surroundings()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env['FOR_A_MOMENT'] = 'yes'
  delete process.env['FOR_A_MOMENT']
  server.close()

  t.strictSame(await leftBehind(before, 10_000), [])
})

const changes: ReadonlyArray<readonly [string, RegExp, () => () => unknown]> = [
  ['a variable', /^the environment variable LEFT is another$/, () => {
    process.env['LEFT'] = 'yes'
    return () => { delete process.env['LEFT'] }
  }],
  ['a umask', /^the umask is now 77$/, () => {
    const before = process.umask(0o77)
    return () => process.umask(before)
  }],
  ['a folder', /^the folder is now /, () => {
    const before = process.cwd()
    process.chdir('..')
    return () => process.chdir(before)
  }],
  ['a listener', /^process listens for SIGUSR2$/, () => {
    const listener = (): void => {}
    process.on('SIGUSR2', listener)
    return () => process.off('SIGUSR2', listener)
  }],
  ['another function in the place of one that all share', /^Math\.max is another$/, () => {
    const before = Math.max
    Math.max = () => 0
    return () => { Math.max = before }
  }],
  ['a name that all see', /^left is another$/, () => {
    Object.assign(globalThis, { left: 1 })
    return () => Reflect.deleteProperty(globalThis, 'left')
  }]
]

for (const [what, words, change] of changes) {
  t.test(`${what} is noticed`, async (t) => {
    const before = surroundings()
    const putBack = change()
    const left = await leftBehind(before, 0)
    putBack()

    t.match(left, [words])
    t.equal(left.length, 1)
    t.strictSame(await leftBehind(before, 0), [])
  })
}

t.test('a server that goes on is noticed', async (t) => {
  const before = surroundings()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())

  t.match(await leftBehind(before, 20), [/^TCP\w+ still runs$/])
})
