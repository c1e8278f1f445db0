import t from 'tap'
import { z } from 'zod'
import { zodCheck } from '../../src/mcp/argument-check.ts'

t.test('a million misfits in the arguments are refused without a look at each', async (t) => {
  const check = zodCheck(z.strictObject({ labels: z.array(z.string()).optional() }))
  const misfits = [
    { labels: Array.from({ length: 1_000_000 }, () => 1) },
    { labels: [Array.from({ length: 1_000_000 }, () => 1)] },
    Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1]))
  ]
  const before = process.cpuUsage()

  for (const given of misfits) t.match(check.read(given), { ok: false, problems: [{ argument: '(arguments)', problem: 'hold more than 10000 values' }] })

  // Zod alone takes many seconds for these.
  t.ok(process.cpuUsage(before).user < 5_000_000)
  t.match(check.read({ labels: Array.from({ length: 9_000 }, () => 'x') }), { ok: true })
  t.match(check.read({ labels: Array.from({ length: 9_000 }, () => 1) }), { ok: false, problems: { length: 10 } })
})
