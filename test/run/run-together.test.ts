import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { FileResult } from './file-report.ts'
import { runTogether } from './run-together.ts'

const extension = extname(import.meta.url)
const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}${extension}`, import.meta.url))
const nameOf = (file: string): string => file.slice(fixture('').length - extension.length, -extension.length)

const files = ['hooks', 'passes', 'fails', 'throws', 'rejects', 'tests-nothing', 'leaves-variable', 'never-ends', 'exits', 'dies', 'passes-too']
const results: FileResult[] = []
await runTogether(files.map(fixture), { env: process.env, onResult: (result) => { results.push(result) } })

/** What failed in a file, and what is said about that. */
function failuresOf (name: string): readonly string[] {
  const result = results.find(({ file }) => file === fixture(name))
  return result === undefined ? ['it has no result'] : result.failures.map(({ name, details }) => `${name}\n${details}`)
}

t.test('every file has one result, in the order in which they run, whatever those before it do', async (t) => {
  t.strictSame(results.map(({ file }) => nameOf(file)), files)
  t.strictSame(results.filter(({ failures }) => failures.length === 0).map(({ file, passed }) => [nameOf(file), passed]), [
    ['hooks', 2], ['passes', 2], ['passes-too', 2]
  ])
})

t.test('what a file says to the root of tap is its own', async (t) => {
  t.strictSame(failuresOf('hooks'), [])
  t.strictSame(failuresOf('passes'), [], 'the hook before each test is that of the other file')
})

t.test('a failure says its file, the tests around it, what was expected, and where', async (t) => {
  const [failure, ...more] = failuresOf('fails')

  t.match(failure, /fails.* > a test > inside of another > this does not\n/)
  t.match(failure, /-2\n *\+1/)
  t.match(failure, /test\/run\/fixtures\/fails\.ts/)
  t.strictSame(more, [])
  t.equal(results.find(({ file }) => file === fixture('fails'))?.passed, 1)
})

for (const [name, what] of [
  ['throws', /while it was loaded/],
  ['rejects', /with nothing to catch it/],
  ['tests-nothing', /it has no test/],
  ['leaves-variable', /the environment variable LEFT_BY_A_TEST is another/],
  ['never-ends', /it waits for what can never come/],
  ['exits', /its process ended with code 1/],
  ['dies', /its process ended with SIGKILL\n[^]*the last words/]
] as const) {
  t.test(`a file that ${name.replace('-', ' ')} has failed, and says why`, async (t) => {
    t.match(failuresOf(name), [what])
    t.equal(failuresOf(name).length, 1)
  })
}
