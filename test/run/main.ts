/** `npm test`: runs the test files, those of a room in one process, a few processes at a time. */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { emptyCoverageFolder, reportCoverage } from './coverage.ts'
import { runTests, type TestFile } from './run-tests.ts'

const usage = `npm test -- [--jobs N] [name]...

  npm test -- leases                      the tests of a room
  npm test -- test/http/listen.test.ts    one file; node dist/test/http/listen.test.js shows each assertion
  npm run test:long                       the tests that take minutes
  npm run coverage                        all of them, and how much of each room they ran
`

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false }
  }
})
const jobs = Number(flags.jobs)
if (flags.help || !(jobs >= 1)) {
  console.log(usage)
  process.exit(flags.help ? 0 : 2)
}

const files = findTests(flags.long ? '.long.ts' : '.test.ts', positionals)
if (files.length === 0) {
  console.error('There is no such test.')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const startedAtMs = performance.now()
// Processes hand this on to those they start, whatever else they hide from them.
const env = flags.coverage ? { ...process.env, NODE_V8_COVERAGE: emptyCoverageFolder() } : process.env
const { passed, failed, skipped } = await runTests({ files, jobs, env, print: (text) => console.log(text) })
if (flags.coverage) console.log(`\n${reportCoverage()}`)
console.log(`\n${files.length} files in ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s${skipped === 0 ? '' : `, ${skipped} skipped`}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** The sources say which tests there are, since a compiled file may outlive its source. */
function findTests (ending: string, wanted: readonly string[]): readonly TestFile[] {
  const beginnings = wanted.map((name) => name.replace(/^(?:\.\/)?(?:dist\/)?(?:test\/)?/, '').replace(/\.[jt]s$/, ''))
  return readdirSync(join(packageRoot, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((place) => place.endsWith(ending))
    .map((place) => place.slice(0, -'.ts'.length).replaceAll(sep, '/'))
    .filter((name) => beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning)))
    .map((name) => ({ name, file: fileURLToPath(new URL(`../${name}${extname(import.meta.url)}`, import.meta.url)) }))
}
