/**
 * `npm run conformance`: the official suite against a gateway with the suite's fixtures, in
 * both revisions, with no list of known failures. Ends with `N passed, N failed`: scenarios,
 * the scored ones and three more that mooring has to pass.
 *
 * With `--serve` it only starts that gateway, for other clients to be tried against it.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startAuthorizingProxy } from './authorizing-proxy.ts'
import { startFixtureGateway, type FixtureGateway } from './fixture-gateway.ts'
import { installRunner, type Runner } from './runner.ts'
import { readResults, type ScenarioResult } from './suite-results.ts'

const revisions = ['2026-07-28', '2025-11-25']
const { values: { serve } } = parseArgs({ options: { serve: { type: 'boolean', default: false } } })

try {
  await withGateway()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function withGateway (): Promise<void> {
  const gateway = await startFixtureGateway(process.env)
  const proxy = await startAuthorizingProxy({ targetPort: gateway.port, token: gateway.token })
  const url = `http://localhost:${proxy.port}/mcp`
  try {
    if (serve) await serveUntilStopped(url, gateway)
    else await judge(url, await installRunner())
  } finally {
    await proxy.close()
    await gateway.close()
  }
}

async function serveUntilStopped (url: string, gateway: FixtureGateway): Promise<void> {
  console.log(`The suite's fixtures are served at ${url}, where no token is needed, and at http://127.0.0.1:${gateway.port}/mcp with\nAuthorization: Bearer ${gateway.token}\nStop with Ctrl-C.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

async function judge (url: string, runner: Runner): Promise<void> {
  const counted: ScenarioResult[] = []
  for (const revision of revisions) {
    console.log(`\nMCP ${revision}`)
    const results = await runSet(runner, url, revision)
    for (const result of results) show(result)
    counted.push(...results.filter(({ notCounted }) => notCounted === undefined))
  }
  const passed = counted.filter((result) => result.passed).length
  process.exitCode = passed === counted.length ? 0 : 1
  console.log(`\n${passed} passed, ${counted.length - passed} failed`)
}

async function runSet (runner: Runner, url: string, revision: string): Promise<readonly ScenarioResult[]> {
  const resultsDir = await mkdtemp(join(tmpdir(), 'mooring-conformance-results-'))
  try {
    const { exitCode, output } = await runner.run({ url, revision, resultsDir })
    const results = await readResults({ requirements: await runner.requirements(revision), resultsDir })
    if (results.every(({ checks }) => checks === 0)) console.log(`The suite ended with ${String(exitCode)} and left no results:\n${output}`)
    return results
  } finally {
    await rm(resultsDir, { recursive: true, force: true })
  }
}

function show ({ scenario, notCounted, passed, checks, findings }: ScenarioResult): void {
  const mark = notCounted === undefined ? (passed ? 'pass' : 'FAIL') : 'skip'
  const remark = notCounted === undefined ? `${checks} checks` : `not counted (${notCounted}), ${passed ? 'passes' : 'does not pass'}`
  console.log(`  ${mark}  ${scenario.padEnd(46)} ${remark}`)
  if (notCounted !== undefined) return
  for (const finding of findings) console.log(`          ${finding}`)
}
