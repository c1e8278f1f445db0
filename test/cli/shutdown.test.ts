import t from 'tap'
import { watchForShutdown } from '../../src/cli/shutdown.ts'
import { manualTime } from '../support/manual-time.ts'
import { fakeProcess } from './fake-process.ts'

const limitMs = 10_000

function setup () {
  const process = fakeProcess()
  const { clock, scheduler, advance } = manualTime()
  const told: string[] = []
  const shutdown = watchForShutdown({
    process,
    clock,
    scheduler,
    limitMs,
    onSignal: () => told.push('signal'),
    onUncaught: (error) => told.push(String(error)),
    onOverdue: () => told.push('overdue')
  })
  return { process, advance, told, shutdown }
}

t.test('runs until something happens', async (t) => {
  const { process, advance, shutdown } = setup()

  advance(limitMs * 10)

  t.equal(shutdown.isRequested, false)
  t.same(process.exits, [])
})

t.test('the first signal asks to stop, and stopping in time is a success', async (t) => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const { process, advance, told, shutdown } = setup()

    process.signal(name)
    await shutdown.requested
    advance(limitMs * 0.9 - 1)

    t.match({ ...shutdown, isRequested: shutdown.isRequested, exitCode: shutdown.exitCode }, { isRequested: true, exitCode: 0 })
    t.same(told, ['signal'])
    t.same(process.exits, [])
  }
})

t.test('the watchdog ends a process that does not stop in time, whatever asked it to', async (t) => {
  for (const ask of ['signal', 'error', 'failure']) {
    const { process, advance, told, shutdown } = setup()
    if (ask === 'signal') process.signal('SIGTERM')
    if (ask === 'error') process.throwUncaught(new Error('oops'))
    if (ask === 'failure') shutdown.fail()

    advance(limitMs - 500)

    t.same(process.exits, [1], `${ask}, with time left for the exit`)
    t.equal(told.at(-1), 'overdue')
  }
})

t.test('a second signal ends the process at once, as if it had not been caught', async (t) => {
  for (const [name, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
    const { process, advance } = setup()

    process.signal('SIGTERM')
    advance(500)
    process.signal(name)

    t.same(process.exits, [code])
  }
})

t.test('the same signal passed on by npm is not a second one', async (t) => {
  const { process, advance, told } = setup()

  process.signal('SIGINT')
  process.signal('SIGINT')
  advance(499)
  process.signal('SIGTERM')

  t.same(process.exits, [])
  t.same(told, ['signal'])
})

t.test('an error that nobody caught stops the process, which then has failed', async (t) => {
  const { process, told, shutdown } = setup()

  process.throwUncaught(new Error('oops'))
  await shutdown.requested
  process.throwUncaught(new Error('again'))

  t.equal(shutdown.exitCode, 1)
  t.same(told, ['Error: oops', 'Error: again'])
  t.same(process.exits, [])
})

t.test('an error while stopping on request makes it a failure', async (t) => {
  const { process, shutdown } = setup()

  process.signal('SIGTERM')
  process.throwUncaught(new Error('oops'))

  t.equal(shutdown.exitCode, 1)
})

t.test('a signal while stopping because of a failure ends the process at once', async (t) => {
  const { process, advance, shutdown } = setup()

  shutdown.fail()
  advance(500)
  process.signal('SIGINT')

  t.same(process.exits, [130])
})
