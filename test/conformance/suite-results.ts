/** What the official suite found, scenario by scenario, and which of it counts. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** Never scored by the suite, since its own example server fails them; mooring has to pass them. */
const countedAlthoughUnscored: ReadonlySet<string> = new Set([
  'http-header-validation', 'http-custom-header-server-validation', 'json-schema-2020-12'
])

const requirementSet = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string(), reason: z.string() }))
})

const checkList = z.array(z.object({
  name: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
  details: z.looseObject({ message: z.string().optional() }).optional()
}))

export interface ScenarioResult {
  readonly scenario: string
  /** Why it does not count; `undefined` when it does. */
  readonly notCounted: string | undefined
  readonly passed: boolean
  readonly checks: number
  /** What went wrong, then what the suite warns of. */
  readonly findings: readonly string[]
}

/**
 * All server scenarios of a requirement set in its order. A scenario that left no result has
 * failed: a suite that breaks off must not look like one that passes.
 */
export async function readResults ({ requirements, resultsDir }: { readonly requirements: string, readonly resultsDir: string }): Promise<readonly ScenarioResult[]> {
  const { server, not_scored: notScored } = requirementSet.parse(parse(requirements))
  const found = await readChecks(resultsDir)
  const reasons = new Map(notScored.filter(({ leg }) => leg === 'server').map(({ scenario, reason }) => [scenario, reason]))

  return [...server, ...reasons.keys()].map((scenario) => {
    const checks = found.get(scenario) ?? []
    const failures = checks.filter(({ status }) => status === 'FAILURE')
    const warnings = checks.filter(({ status }) => status === 'WARNING')
    return {
      scenario,
      notCounted: countedAlthoughUnscored.has(scenario) ? undefined : reasons.get(scenario),
      passed: checks.length > 0 && failures.length === 0,
      checks: checks.length,
      findings: [
        ...(checks.length === 0 ? ['it left no result'] : []),
        ...[...failures, ...warnings].map(({ status, name, errorMessage, details }) =>
          `${status.toLowerCase()}: ${name}: ${errorMessage ?? details?.message ?? 'without explanation'}`)
      ]
    }
  })
}

/** Each scenario has a folder of its own, named `server-<scenario>-<time>`. */
async function readChecks (resultsDir: string): Promise<ReadonlyMap<string, z.output<typeof checkList>>> {
  const checks = new Map<string, z.output<typeof checkList>>()
  for (const name of await readdir(resultsDir)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1]
    if (scenario === undefined) continue
    checks.set(scenario, checkList.parse(JSON.parse(await readFile(join(resultsDir, name, 'checks.json'), 'utf8'))))
  }
  return checks
}
