import t from 'tap'
import { reportRows } from '../../bench/report.ts'
import { contenders } from '../../bench/contenders/contenders.ts'
import { loadsOf } from '../../bench/load.ts'
import { median, percentile } from '../../bench/statistics.ts'

t.test('the median is the middle, or the mean of the two in the middle', async (t) => {
  t.equal(median([9]), 9)
  t.equal(median([10, 1, 2]), 2)
  t.equal(median([1, 2, 4, 10]), 3)
  t.ok(Number.isNaN(median([])))
})

t.test('a percentile is the smallest value that enough others do not exceed', async (t) => {
  const numbers = Array.from({ length: 200 }, (_, index) => 200 - index)
  t.equal(percentile(numbers, 0.5), 100)
  t.equal(percentile(numbers, 0.99), 198)
  t.equal(percentile(numbers, 1), 200)
  t.equal(percentile([7], 0.01), 7)
})

t.test('ratios are taken within a round, so that a slow round slows both', async (t) => {
  const [load] = loadsOf(5)
  const [mooring, rival] = contenders
  if (load === undefined || mooring === undefined || rival === undefined) throw new Error('there is nothing to compare')
  const rounds = (rates: readonly number[]) => rates.map((rate) => ({ requestsPerSecond: rate, p50Ms: 1, p99Ms: 2, cpuUs: 1_000 / rate, busy: 1 }))

  const rows = reportRows([
    { load, contender: mooring, answerBytes: 1, rounds: rounds([10, 100, 40]) },
    { load, contender: rival, answerBytes: 1, rounds: rounds([20, 200, 80]) }
  ])

  t.same(rows[0]?.against, { [rival.name]: { requestsPerSecond: 0.5, cpu: 0.5 } })
  t.same(rows[1]?.against, { [mooring.name]: { requestsPerSecond: 2, cpu: 2 } })
})
