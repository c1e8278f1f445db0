import { writeSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { reportDescriptor, type Failure, type ReportLine } from './file-report.ts'
import { longestFileMs, patienceMs } from './limits.ts'
import { rootAgain, rootFor } from './own-root.ts'
import { leftBehind, surroundings } from './surroundings.ts'

const testsFolder = fileURLToPath(new URL('..', import.meta.url))

/** Runs test files in this process. Each has a root of its own, and none may leave anything behind for the next. */
export async function runInTurn (files: readonly string[]): Promise<void> {
  process.setSourceMapsEnabled(true)
  // tap would end its root here, and the files that follow would not run.
  process.prependOnceListener('beforeExit', () => {
    report({ event: 'waits in vain' })
    process.exit(1)
  })
  t.setTimeout(0)
  // With its first word tap takes over signals and output, which no file is to be blamed for.
  t.comment(`${files.length} files`)
  for (const file of files) await run(file)
  t.end()
}

async function run (file: string): Promise<void> {
  const before = surroundings()
  const startedAtMs = performance.now()
  const failedBefore = t.lists.fail.length
  let own: Test | undefined
  report({ event: 'began', file })

  const results = await t.test(relative(testsFolder, file), { timeout: longestFileMs }, async (test) => {
    own = test
    rootFor(test)
    await import(pathToFileURL(file).href)
  })
  rootAgain()
  if (own === undefined || results === null) throw new Error(`tap did not run ${file}`)

  const { pass, skip, todo } = own.counts
  // What is thrown outside of all tests has failed at tap's own root.
  const failures: Failure[] = t.lists.fail.slice(failedBefore).map(({ fullname, diag }) => ({ name: fullname, details: inWords(diag) }))
  if (results.count === 0) failures.push({ name: 'it tests something', details: 'it has no test' })
  else if (!results.ok && failures.length === 0) failures.push({ name: 'it ends well', details: 'tap does not say why it did not' })
  for (const left of await leftBehind(before, patienceMs)) failures.push({ name: 'it leaves nothing behind', details: left })
  report({ event: 'ended', file, passed: pass, skipped: skip + todo, failures, ms: performance.now() - startedAtMs })
}

function report (line: ReportLine): void {
  writeSync(reportDescriptor, `${JSON.stringify(line)}\n`)
}

/** The details of a failure as lines; texts of several lines, such as differences and stacks, stay readable. */
function inWords (details: unknown): string {
  if (typeof details !== 'object' || details === null) return ''
  return Object.entries(details).map(([name, value]) => {
    const text = typeof value === 'string' ? value : inspect(value, { depth: 6 })
    return text.includes('\n') ? `${name}:\n${text.trimEnd().replace(/^/gm, '  ')}` : `${name}: ${text}`
  }).join('\n')
}
