import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve, type ServedApp } from '../../src/cli/serve.ts'
import { UnsupportedRefusal } from '../../src/devices/device-refusals.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { manualTime } from '../support/manual-time.ts'
import { fakeProcess } from './fake-process.ts'

type Step = 'build' | 'listen' | 'startUp' | 'close'

/** An app that does nothing, one step after the other, except what a test has it do. */
function setup (t: Test, { argv = [] as readonly string[], instead = {} as Partial<Record<Step, () => Promise<void> | void>> } = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const process = fakeProcess()
  const { clock, scheduler, advance } = manualTime()
  const steps: string[] = []
  const logged: unknown[] = []

  async function step (name: Step): Promise<void> {
    steps.push(name)
    await instead[name]?.()
  }

  const app: ServedApp = {
    async listen ({ host, port }) {
      await step('listen')
      return `http://${host}:${port}`
    },
    server: { address: () => ({ port: 4711 }) },
    startUp: () => step('startUp'),
    leases: { devices: async () => [] },
    log: { fatal: ({ err }) => { logged.push(err) } },
    close: () => step('close')
  }

  const code = serve({
    sources: { argv: ['--state-dir', cwd, ...argv], env: { HOME: cwd }, cwd },
    async buildApp () {
      await step('build')
      return app
    },
    process,
    clock,
    ids: randomIds,
    scheduler
  })
  return { process, shown: process.shown, steps, logged, advance, code }
}

/** Lets everything run that needs no further push. */
async function settle (): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

t.test('builds, listens, starts up and shows the banner, then runs until it is told to stop', async (t) => {
  const { process, shown, steps, code } = setup(t, { argv: ['--port', '0'] })

  await settle()
  t.same(steps, ['build', 'listen', 'startUp'])
  t.match(shown.stdout, /ready at http:\/\/127\.0\.0\.1:4711\/mcp\n/, 'with the port that was bound')
  t.match(shown.stdout, /token file .*\/token /)

  process.signal('SIGTERM')
  t.equal(await code, 0)
  t.same(steps, ['build', 'listen', 'startUp', 'close'])
  t.match(shown.stdout, /mooring is stopping\. Press Ctrl-C again to stop at once\.\n$/)
  t.equal(shown.stderr, '')
})

t.test('wrong settings end it before anything is built', async (t) => {
  const { shown, steps, code } = setup(t, { argv: ['--prot', '1'] })

  t.equal(await code, 2)
  t.same(steps, [])
  t.match(shown.stderr, /^mooring: 2 settings are wrong\.\n {2}--prot: /)
  t.equal(shown.stdout, '')
})

t.test('a port that is taken ends it, and what was built is closed', async (t) => {
  const { shown, steps, code } = setup(t, {
    argv: ['--port', '8080'],
    instead: { listen: () => { throw Object.assign(new Error('in use'), { code: 'EADDRINUSE', syscall: 'listen' }) } }
  })

  t.equal(await code, 1)
  t.same(steps, ['build', 'listen', 'close'], 'no other port is tried')
  t.match(shown.stderr, /cannot listen on 127\.0\.0\.1:8080: another program/)
  t.equal(shown.stdout, '')
})

t.test('a refusal during the start-up says what to do', async (t) => {
  const refusal = new UnsupportedRefusal({ device: 'a', operation: 'start', missing: 'no power', nextAction: 'Plug it in.' })
  const { shown, steps, code } = setup(t, { instead: { startUp: () => { throw refusal } } })

  t.equal(await code, 1)
  t.same(steps, ['build', 'listen', 'startUp', 'close'])
  t.equal(shown.stderr, 'mooring: Device a cannot start: no power.\nPlug it in.\n')
})

t.test('an unexpected error is one line, with its stack at debug level', async (t) => {
  const instead = { build: () => { throw new Error('oops') } }

  const quiet = setup(t, { instead })
  t.equal(await quiet.code, 1)
  t.match(quiet.shown.stderr, /^mooring did not start: oops \(.*--log-level debug\)\n$/)
  t.same(quiet.steps, ['build'])

  const loud = setup(t, { instead, argv: ['--log-level', 'debug'] })
  t.equal(await loud.code, 1)
  t.match(loud.shown.stderr, /oops\n {4}at /)
})

t.test('an unexpected error on the way up or down is logged as well, a refusal is not', async (t) => {
  const error = new Error('oops')
  const failed = setup(t, { instead: { startUp: () => { throw error } } })
  await failed.code
  t.same(failed.logged, [error])

  const stuck = setup(t, { instead: { close: () => { throw error } } })
  await settle()
  stuck.process.signal('SIGTERM')
  await stuck.code
  t.same(stuck.logged, [error])

  const refused = setup(t, { instead: { startUp: () => { throw new UnsupportedRefusal({ device: 'a', operation: 'start', missing: 'no power', nextAction: 'Plug it in.' }) } } })
  await refused.code
  t.same(refused.logged, [])
})

t.test('a signal at any moment of the start-up stops it there, and closes what was built', async (t) => {
  for (const [moment, expected] of [
    ['build', ['build', 'close']],
    ['listen', ['build', 'listen', 'close']],
    ['startUp', ['build', 'listen', 'startUp', 'close']]
  ] as const) {
    const gate = { open: () => {} }
    const { process, shown, steps, code } = setup(t, { instead: { [moment]: () => new Promise<void>((resolve) => { gate.open = resolve }) } })

    await settle()
    process.signal('SIGINT')
    gate.open()

    t.equal(await code, 0, moment)
    t.same(steps, expected)
    t.notMatch(shown.stdout, /ready/)
  }
})

t.test('the watchdog bites during the start-up as well', async (t) => {
  const { process, shown, advance } = setup(t, { argv: ['--shutdown-ms', '3000'], instead: { startUp: () => new Promise(() => {}) } })

  await settle()
  process.signal('SIGTERM')
  advance(2_699)
  t.same(process.exits, [])
  advance(1)

  t.same(process.exits, [1])
  t.match(shown.stderr, /cannot stop cleanly within 3000 ms/)
})

t.test('the watchdog bites when the app does not close after it failed to start', async (t) => {
  const { process, advance } = setup(t, { instead: { startUp: () => { throw new Error('oops') }, close: () => new Promise(() => {}) } })

  await settle()
  advance(10_000)

  t.same(process.exits, [1])
})

t.test('an app that does not close cleanly is a failure', async (t) => {
  const { process, shown, code } = setup(t, { instead: { close: () => { throw new Error('stuck') } } })

  await settle()
  process.signal('SIGTERM')

  t.equal(await code, 1)
  t.match(shown.stderr, /did not stop cleanly: stuck/)
})

t.test('an error that nobody caught is logged, said and ends in a failure, with the app closed', async (t) => {
  const { process, shown, steps, logged, code } = setup(t)
  const error = new Error('lost')

  await settle()
  process.throwUncaught(error)

  t.equal(await code, 1)
  t.equal(steps.at(-1), 'close')
  t.same(logged, [error])
  t.match(shown.stderr, /^mooring stops because of an error: lost \(/)
})
