import type { FileResult } from './file-report.ts'
import { groupsOf } from './groups.ts'
import { runTogether } from './run-together.ts'

export interface TestFile {
  /** What people call it: its place below `test`, as in `leases/limits.test`. */
  readonly name: string
  readonly file: string
}

export interface Totals {
  readonly passed: number
  /** Files that end without a result count here too. */
  readonly failed: number
  readonly skipped: number
}

/** Runs all the files, `jobs` processes at a time, and prints what becomes of each. */
export async function runTests ({ files, jobs, env, print }: {
  readonly files: readonly TestFile[]
  readonly jobs: number
  /** Of the processes. */
  readonly env: NodeJS.ProcessEnv
  readonly print: (text: string) => void
}): Promise<Totals> {
  const names = new Map(files.map(({ file, name }) => [file, name]))
  const nameOf = (file: string): string => names.get(file) ?? file
  const waiting = [...groupsOf([...names.keys()], { roomOf: (file) => nameOf(file).split('/')[0] ?? '' })]
  const failed: FileResult[] = []
  const totals = { passed: 0, failed: 0, skipped: 0 }

  function onResult (result: FileResult): void {
    const { file, passed, skipped, failures, ms } = result
    totals.passed += passed
    totals.skipped += skipped
    totals.failed += failures.length
    print(`${failures.length === 0 ? 'ok    ' : 'FAILED'}  ${nameOf(file)}, ${passed} assertions in ${inSeconds(ms)}`)
    if (failures.length > 0) failed.push(result)
  }

  async function workThroughGroups (): Promise<void> {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runTogether(group, { env, onResult })
  }
  await Promise.all(Array.from({ length: jobs }, workThroughGroups))

  // Where a long log is cut, its end is kept: what failed is said there.
  for (const { file, failures } of failed) {
    print(`\nFAILED  ${nameOf(file)}`)
    for (const { name, details } of failures) print(`  ${name}\n${details.replace(/^/gm, '    ')}`)
  }
  return totals
}

function inSeconds (ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
