import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { FileResult } from './file-report.ts'
import { runTogether } from './run-together.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}${extname(import.meta.url)}`, import.meta.url))

/** What becomes of these files in one process, in the order in which it is told. */
async function resultsOf (...names: readonly string[]): Promise<readonly FileResult[]> {
  const results: FileResult[] = []
  await runTogether(names.map(fixture), { env: process.env, onResult: (result) => { results.push(result) } })
  return results
}

/** The file, how many of its assertions held, and what failed. */
const inShort = ({ file, passed, failures }: FileResult): unknown[] => [file, passed, ...failures.map(({ name, details }) => `${name}: ${details}`)]

t.test('files of one process are told of one by one, and what one says to the root is its own', async (t) => {
  t.strictSame((await resultsOf('hooks', 'passes')).map(inShort), [[fixture('hooks'), 2], [fixture('passes'), 2]])
})

t.test('a failure says its file, the tests around it and what was expected, and the files after it still run', async (t) => {
  const [fails, passes] = await resultsOf('fails', 'passes')

  t.match(fails, { passed: 1, failures: [{ name: /fails.* > a test > inside of another > this does not$/, details: /\+1[^]*run\/fixtures\/fails|run\/fixtures\/fails[^]*\+1/ }] })
  t.equal(fails?.failures.length, 1)
  t.match(passes, { file: fixture('passes'), passed: 2, failures: [] })
})

for (const [name, what] of [
  ['throws', /while it was loaded/],
  ['rejects', /with nothing to catch it/],
  ['tests-nothing', /it has no test/],
  ['leaves-variable', /the environment variable LEFT_BY_A_TEST is another/]
] as const) {
  t.test(`a file that ${name.replace('-', ' ')} has failed, and the one after it has not`, async (t) => {
    const [failed, passes] = await resultsOf(name, 'passes')

    t.equal(failed?.failures.length, 1)
    t.match(failed?.failures.map(({ name, details }) => `${name} ${details}`), [what])
    t.match(passes, { file: fixture('passes'), passed: 2, failures: [] })
  })
}

for (const [name, what] of [
  ['never-ends', /it waits for what can never come/],
  ['exits', /its process ended with code 1/],
  ['dies', /its process ended with SIGKILL\n[^]*the last words/]
] as const) {
  t.test(`where a file ${name.replace('-', ' ')}, its process too, it has failed, and the others run in another`, async (t) => {
    const results = await resultsOf('passes', name, 'hooks')

    t.match(results, [
      { file: fixture('passes'), passed: 2, failures: [] },
      { file: fixture(name), passed: 0, failures: [{ name: 'it ends well', details: what }] },
      { file: fixture('hooks'), passed: 2, failures: [] }
    ])
    t.equal(results.length, 3)
  })
}
