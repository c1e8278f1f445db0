import t from 'tap'
import { createWaitingReport, positionText } from '../../src/tools/waiting-report.ts'
import { manualTime } from '../support/manual-time.ts'

function setup () {
  const time = manualTime()
  const told: Array<{ readonly progress: number, readonly message?: string }> = []
  const report = createWaitingReport({ ...time, progress: (step) => { told.push(step) } })
  return { ...time, report, told, messages: () => told.map(({ message }) => message) }
}

t.test('a position in the queue is told at once, in words', async (t) => {
  const { report, told } = setup()

  report.onWaiting({ position: 3, estimateMs: 40_000 })

  t.same(told, [{ progress: 1, message: 'position 3 in the queue, about 40 s' }])
})

t.test('PROG-02: progress rises, whichever way the place moves', async (t) => {
  const { report, told, advance } = setup()
  for (const position of [3, 2, 4, 1]) {
    report.onWaiting({ position, estimateMs: undefined })
    advance(1_000)
  }

  t.same(told.map(({ progress }) => progress), [1, 2, 3, 4])
  t.same(told.map(({ message }) => message), ['position 3 in the queue', 'position 2 in the queue', 'position 4 in the queue', 'position 1 in the queue'])
})

t.test('PROG-02: a queue that moves fast is told once a second, the latest position only', async (t) => {
  const { report, messages, advance } = setup()
  for (let position = 50; position > 0; position--) {
    report.onWaiting({ position, estimateMs: undefined })
    advance(100)
  }

  advance(1_000)
  t.same(messages(), ['50', '41', '31', '21', '11', '1'].map((position) => `position ${position} in the queue`))
})

t.test('a queue that does not move shows life every 15 seconds, with what is left of the estimate', async (t) => {
  const { report, messages, advance } = setup()
  report.onWaiting({ position: 1, estimateMs: 40_000 })

  advance(50_000)

  t.same(messages(), ['position 1 in the queue, about 40 s', 'position 1 in the queue, about 25 s', 'position 1 in the queue, about 10 s', 'position 1 in the queue'])
})

t.test('nothing is told when there was no wait, or after it', async (t) => {
  const { report, messages, advance, timers } = setup()
  report.stop()
  t.equal(timers(), 0)
  report.onWaiting({ position: 1, estimateMs: undefined })

  report.stop()
  advance(100_000)

  t.equal(messages().length, 1)
  t.equal(timers(), 0)
})

t.test('what a request waits for beside those in front is told with its position, on one line', async (t) => {
  const { report, messages } = setup()

  report.onWaiting({ position: 2, estimateMs: 40_000, note: 'phone-1 is drained:\n"new lab"' })

  t.same(messages(), ['position 2 in the queue, about 40 s, "phone-1 is drained:\\n\\"new lab\\""'])
  t.equal(positionText({ position: 1, estimateMs: undefined, note: 'phone-1 is blocked' }), 'position 1 in the queue, "phone-1 is blocked"')
})

t.test('long waits are told in minutes', async (t) => {
  t.equal(positionText({ position: 1, estimateMs: 119_000 }), 'position 1 in the queue, about 119 s')
  t.equal(positionText({ position: 1, estimateMs: 125_000 }), 'position 1 in the queue, about 3 min')
  t.equal(positionText({ position: 1, estimateMs: 1 }), 'position 1 in the queue, about 1 s')
})
