import fc from 'fast-check'
import t from 'tap'
import { osMatcher, osRangeFault } from '../../../src/leases/queue/match-os.ts'

const matchesOs = (version: string, range: string): boolean => osMatcher(range)(version)

t.test('a condition speaks of as many numbers as it has', async (t) => {
  const fitting: Record<string, readonly string[]> = {
    15: ['15', '15.0', '15.1.2'],
    '17.x': ['17', '17.5'],
    18.2: ['18.2', '18.2.1'],
    '=18.2.x': ['18.2', '18.2.9'],
    '>=14': ['14', '14.0', '15', '100.1'],
    '>=14.1': ['14.1', '14.10', '15'],
    '>17': ['18', '18.0'],
    '>17.2': ['17.3', '17.10', '18'],
    '<=17': ['17.9', '16', '9'],
    '<16': ['15.9', '9'],
    '<16.4': ['16', '16.3.9'],
    '>=14 <16': ['14', '15.8'],
    ' >= 14  < 16 ': ['14', '15.8'],
    '15.0': ['15']
  }
  const others: Record<string, readonly string[]> = {
    15: ['1', '5', '14', '16', '150'],
    '17.x': ['16.9', '18', '7'],
    18.2: ['18', '18.1', '18.20', '18.3'],
    '>=14': ['13.9', '9'],
    '>=14.1': ['14', '14.0.9'],
    '>17': ['17', '17.9', '9'],
    '>17.2': ['17.2', '17.2.9'],
    '<=17': ['18'],
    '<16': ['16', '16.0'],
    '<16.4': ['16.4', '16.10'],
    '>=14 <16': ['13', '16'],
    '>=16 <14': ['13', '14', '15', '16', '17']
  }
  for (const [range, versions] of Object.entries(fitting)) {
    for (const version of versions) t.ok(matchesOs(version, range), `${version} is in ${range}`)
  }
  for (const [range, versions] of Object.entries(others)) {
    for (const version of versions) t.notOk(matchesOs(version, range), `${version} is not in ${range}`)
  }
})

t.test('a range that is wrong is said to be wrong, and holds nothing', async (t) => {
  for (const range of ['', '  ', 'x', '*', '>=', '15 or 16', '15||16', '15-17', '~15', '^15', '15.', '.5', '15.x.1', '=>14', '-1', '1.2.3.4.5', '1e3', '1234567890', '14,<16', `>=14${' '.repeat(99)}<16`]) {
    t.type(osRangeFault(range), 'string', JSON.stringify(range))
    t.notOk(matchesOs('15', range))
  }
  for (const range of ['15', '17.x', '17.X', '17.*', '>=14', '> 14.2.1 <= 16', '=15']) t.equal(osRangeFault(range), undefined, range)
  t.match(osRangeFault('>=14 ~16'), /"~16" is no condition/)
})

t.test('a version that is no dotted numbers is in no range', async (t) => {
  for (const version of ['', 'Tiramisu', '15-beta', '15.', '15.x', ' 15']) t.notOk(matchesOs(version, '>=1'), JSON.stringify(version))
})

t.test('a version is below, in or above each bound, and every operator says which', async () => {
  const dotted = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }).map((numbers) => numbers.join('.'))

  fc.assert(fc.property(dotted, dotted, (version, bound) => {
    const isBelow = matchesOs(version, `<${bound}`)
    const isIn = matchesOs(version, bound)
    const isAbove = matchesOs(version, `>${bound}`)
    return [isBelow, isIn, isAbove].filter(Boolean).length === 1 &&
      matchesOs(version, `<=${bound}`) === (isBelow || isIn) && matchesOs(version, `>=${bound}`) === (isIn || isAbove)
  }), { numRuns: 2_000 })
})
