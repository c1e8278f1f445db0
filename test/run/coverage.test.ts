import { join } from 'node:path'
import t from 'tap'
import { coverageTable } from './coverage.ts'

const root = join('/', 'project')
const file = (covered: number, total: number) => ({ lines: { total, covered }, branches: { total: total / 2, covered: covered / 2 }, functions: { total: 0, covered: 0 } })

t.test('the files of a room are summed up in one line, whatever their folder', async (t) => {
  const table = coverageTable({
    total: file(60, 80),
    [join(root, 'src', 'leases', 'lease.ts')]: file(10, 20),
    [join(root, 'src', 'leases', 'queue', 'line.ts')]: file(20, 20),
    [join(root, 'src', 'app.ts')]: file(20, 20),
    [join(root, 'routes', 'operations', 'status.ts')]: file(10, 20)
  }, root)

  t.strictSame(table.split('\n').map((line) => line.split(/ {2,}/)), [
    ['covered', 'lines', 'branches', 'functions'],
    ['routes', '50.0 %', '50.0 %', '100.0 %'],
    ['src', '100.0 %', '100.0 %', '100.0 %'],
    ['src/leases', '75.0 %', '75.0 %', '100.0 %'],
    ['all', '75.0 %', '75.0 %', '100.0 %']
  ])
})
