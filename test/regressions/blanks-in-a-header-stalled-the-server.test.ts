import t from 'tap'
import { decodeHeaderValue } from '../../src/protocol/header-value.ts'
import { readTraceContext } from '../../src/protocol/trace-context.ts'

const blanks = ' \t'.repeat(500_000)

t.test('HDR-04: blanks inside a value cost no more time than other characters', async (t) => {
  const before = process.cpuUsage()

  t.equal(decodeHeaderValue(`${blanks}a${blanks}b${blanks}`), `a${blanks}b`)
  t.equal(decodeHeaderValue(blanks), '')

  // Trying anew at each of a million blanks takes minutes.
  t.ok(process.cpuUsage(before).user < 5_000_000)
})

t.test('TRACE-03: neither do they in baggage and state', async (t) => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const before = process.cpuUsage()

  for (let round = 0; round < 50; round++) {
    t.match(readTraceContext({ params: { _meta: { traceparent, baggage: `a=1${' '.repeat(8_000)}\u0001`, tracestate: `a=1${' '.repeat(400)}\u0001` } } }, {}), { baggage: undefined, state: undefined })
  }

  t.ok(process.cpuUsage(before).user < 5_000_000)
})
