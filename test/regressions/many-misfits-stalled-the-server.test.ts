import t from 'tap'
import { z } from 'zod'
import { schemaCheck, zodCheck } from '../../src/mcp/argument-check.ts'

t.test('a million misfits in the arguments are refused without a look at each', async (t) => {
  const check = zodCheck(z.strictObject({ labels: z.array(z.string()).optional() }))
  const misfits = [
    { labels: Array.from({ length: 1_000_000 }, () => 1) },
    { labels: [Array.from({ length: 1_000_000 }, () => 1)] },
    Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1]))
  ]
  const before = process.cpuUsage()

  for (const given of misfits) t.match(check.read(given), { ok: false, problems: [{ argument: '(arguments)', problem: 'they hold more than 10000 values' }] })

  // Zod alone takes many seconds for these.
  t.ok(process.cpuUsage(before).user < 5_000_000)
  t.match(check.read({ labels: Array.from({ length: 9_000 }, () => 'x') }), { ok: true })
  t.match(check.read({ labels: Array.from({ length: 9_000 }, () => 1) }), { ok: false, problems: { length: 10 } })
})

t.test('text that is read as a list is counted like a list', async (t) => {
  const check = zodCheck(z.strictObject({ labels: z.array(z.string()).optional() }))

  t.match(check.read({ labels: JSON.stringify(Array.from({ length: 11_000 }, () => 1)) }), { ok: false, problems: [{ problem: 'they hold more than 10000 values' }] })
  t.match(check.read({ labels: JSON.stringify(Array.from({ length: 200_000 }, () => 1)) }), { ok: false, problems: [{ argument: 'labels' }] }, 'and longer text is not read')
})

t.test('misfits are described ten at a time, however many there are', async (t) => {
  let described = 0
  const counted = z.string().refine(() => false, { error: () => { described += 1; return 'is never right' } })
  const check = zodCheck(z.strictObject({ labels: z.array(z.int()), names: z.array(counted) }))
  const before = process.cpuUsage()

  const read = check.read({ labels: Array.from({ length: 4_000 }, () => 'x'.repeat(100)), names: Array.from({ length: 4_000 }, () => 'y') })

  t.match(read, { ok: false, problems: { length: 10 } })
  t.ok(process.cpuUsage(before).user < 1_000_000)
  t.ok(described <= 4_000)
})

t.test('a value that misses a choice a hundred thousand times is described as soon as one that misses it once', async (t) => {
  const check = schemaCheck({
    type: 'object', properties: { list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object', required: ['a', 'b'] }] } } }
  }, 'choices')
  const before = process.cpuUsage()

  const read = check.read({ list: Array.from({ length: 100_000 }, () => 1) })

  // Either it took too long to check, or it was described: both at once.
  t.equal(read.ok, false)
  t.ok(process.cpuUsage(before).user < 3_000_000)
})
