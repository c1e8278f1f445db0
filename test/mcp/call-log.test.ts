import t from 'tap'
import { z } from 'zod'
import { createCallLog } from '../../src/mcp/call-log.ts'
import { invalidParams } from '../../src/protocol/error-table.ts'
import { ProtocolError } from '../../src/protocol/rejection.ts'
import { complete, type Result } from '../../src/protocol/result.ts'
import { manualTime } from '../support/manual-time.ts'

function setup () {
  const { clock, advance } = manualTime(0)
  const lines: object[] = []
  const calls = createCallLog({ clock, log: { info: (facts, message) => { lines.push({ ...JSON.parse(JSON.stringify(facts)), message }) } } })
  return { advance, lines, calls }
}

const failed = { content: [], isError: true }

t.test('a call has one line, with what it was, on which device, what came of it and how long it took', async (t) => {
  const { calls, lines, advance } = setup()

  await calls.run('observe', async () => {
    advance(12.345)
    return { ...complete({ content: [] }), noted: { device: 'phone-1', waitedMs: 0 } }
  })

  t.strictSame(lines, [{ tool: 'observe', device: 'phone-1', outcome: 'done', durationMs: 12.3, message: 'tool called' }])
})

t.test('what a call only waited is beside what it worked', async (t) => {
  const { calls, lines, advance } = setup()

  await calls.run('acquireDevice', async () => {
    advance(60_020)
    return { ...complete({}), noted: { waitedMs: 60_000.04 } }
  })

  t.match(lines, [{ durationMs: 20, waitedMs: 60_000 }])
})

t.test('every way in which a call can end has a word, and a code where there is one', async (t) => {
  const { calls, lines } = setup()
  const results: readonly Result[] = [
    complete({ content: [] }),
    { ...complete(failed), noted: { refusal: 'lease_ended', device: 'phone-1', waitedMs: 0 } },
    { ...complete(failed), noted: { refusal: 'internal_error', waitedMs: 0 } },
    complete({ ...failed, structuredContent: { code: 'whatever another server says' } }),
    { kind: 'input_required', requestState: 'sealed' }
  ]
  for (const result of results) calls.run('t', () => result)
  const thrown = [new ProtocolError(invalidParams('no')), new Error('a secret')]
  for (const error of thrown) {
    t.throws(() => calls.run('t', () => { throw error }), error)
    await t.rejects(async () => await calls.run('t', async () => { throw error }), error)
  }

  t.strictSame(lines.map(({ outcome, code }: any) => [outcome, code]), [
    ['done', undefined], ['refused', 'lease_ended'], ['failed', 'internal_error'], ['refused', undefined], ['asked', undefined],
    ['rejected', -32602], ['rejected', -32602], ['failed', undefined], ['failed', undefined]
  ])
  t.notMatch(JSON.stringify(lines), /secret|another server/)
})

t.test('what is at hand is answered at once', async (t) => {
  const { calls } = setup()
  const result = complete({})
  t.equal(calls.run('t', () => result), result)
})

t.test('the fields of a line are known', async (t) => {
  const { calls, lines } = setup()
  calls.run(undefined, () => ({ ...complete(failed), noted: { refusal: 'x', device: 'd', waitedMs: 1 } }))
  const known = z.strictObject({
    tool: z.string().optional(), device: z.string(), outcome: z.string(), code: z.string(), durationMs: z.number(), waitedMs: z.number(), message: z.literal('tool called')
  })
  t.ok(known.safeParse(lines[0]).success)
})
