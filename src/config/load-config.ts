/**
 * The settings of one run, from all sources, the later outranking the earlier:
 *
 *   the defaults of the schema
 *   mooring.yaml: the one of `--config` or `MOORING_CONFIG`, else in the working directory,
 *                 else in the user's configuration folder; never more than one
 *   variables that are a standard, then MOORING_… variables
 *   flags
 *
 * Every source is read to the end, and all that is wrong is said at once. A value that is
 * outranked is not checked; a name that does not exist always is.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { tokenProblem } from '../auth/given-token.ts'
import type { TokenOrigin } from '../auth/token-origin.ts'
import { findFolders, resolvePath, type Environment } from './config-folders.ts'
import { ConfigRefusal, type ConfigProblem } from './config-refusal.ts'
import { configSchema } from './config-schema.ts'
import { readConfigFile } from './read-config-file.ts'
import { readFlags } from './read-flags.ts'
import { readVariables, tokenVariable } from './read-variables.ts'
import type { SaidSetting, SettingSource } from './setting-source.ts'
import { settings } from './setting.ts'
import { findStateFolder } from './state-folder.ts'
import { telemetryTargets, type TelemetrySettings } from '../telemetry/telemetry-settings.ts'

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T

/** The settings as everything else reads them: complete, paths absolute, frozen to the last leaf. */
export type Config = DeepReadonly<z.output<typeof configSchema> & {
  stateDir: string
  /** Whether it was not configured, so that it is a place that mooring has for itself. */
  isOwnStateDir: boolean
  server: {
    tokenFile: string
    /** A secret: the token, where it comes from the variable. */
    tokenFromVariable?: string
  }
  /** What the operator should know of the settings, one sentence each. None of it stops a start. */
  warnings: readonly string[]
}>

export interface ConfigSources {
  /** The flags, without the name of the program and the command. */
  readonly argv: readonly string[]
  readonly env?: Environment
  readonly cwd?: string
  readonly platform?: NodeJS.Platform
}

/** @throws {ConfigRefusal} with everything that is wrong */
export function loadConfig (
  { argv, env = process.env, cwd = process.cwd(), platform = process.platform }: ConfigSources
): Config {
  const folders = findFolders({ env, platform })
  const flags = readFlags({ argv, cwd })
  const variables = readVariables({ env, cwd })
  const named = flags.configFile ?? variables.configFile
  const file = named === undefined
    ? findConfigFile([cwd, folders.config])
    : readNamedFile(resolvePath(named, { base: cwd, home: folders.home }))

  const said = new Map([file, variables, flags].flatMap((source) => source.said).map((one) => [one.setting.path, one]))
  const parsed = configSchema.safeParse(nest(said.values(), folders.home))
  const problems = [
    ...file.problems, ...variables.problems, ...flags.problems,
    ...(parsed.success ? tokenProblems(parsed.data.server.token, env) : describeIssues(parsed.error.issues, said))
  ]
  if (!parsed.success || problems.length > 0) throw new ConfigRefusal(problems)

  const stateDir = parsed.data.stateDir === undefined ? folders.state : findStateFolder(parsed.data.stateDir)
  const { server } = parsed.data
  return deepFreeze({
    ...parsed.data,
    stateDir,
    isOwnStateDir: parsed.data.stateDir === undefined,
    server: { ...server, tokenFile: server.tokenFile ?? join(stateDir, 'token'), ...tokenOf(server.token, env) },
    // Variables of OpenTelemetry often stand in an environment for other programs.
    warnings: measuresAnything(parsed.data.telemetry) ? variables.warnings : []
  })
}

/** Of the variable, which holds the token of the server only where a setting says so: it is the clients' otherwise. */
function tokenOf (origin: TokenOrigin, env: Environment): { readonly tokenFromVariable?: string } {
  return origin === 'variable' ? { tokenFromVariable: (env[tokenVariable] ?? '').trim() } : {}
}

function tokenProblems (origin: TokenOrigin, env: Environment): readonly ConfigProblem[] {
  const { tokenFromVariable } = tokenOf(origin, env)
  const problem = tokenFromVariable === undefined ? undefined : tokenProblem(tokenFromVariable)
  return problem === undefined ? [] : [{ source: tokenVariable, message: `${problem}; server.token takes the token from it` }]
}

function measuresAnything (telemetry: TelemetrySettings): boolean {
  const { traces, metrics } = telemetryTargets(telemetry)
  return traces !== undefined || metrics !== undefined
}

function findConfigFile (folders: readonly string[]): SettingSource {
  const file = folders.map((folder) => join(folder, 'mooring.yaml')).find((file) => existsSync(file))
  return (file === undefined ? undefined : readConfigFile(file)) ?? { said: [], problems: [] }
}

function readNamedFile (file: string): SettingSource {
  return readConfigFile(file) ?? { said: [], problems: [{ source: file, message: 'there is no such file' }] }
}

/** The values as the nested object that the schema describes. */
function nest (said: Iterable<SaidSetting>, home: string): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const { setting: { keys, kind }, value, base } of said) {
    let group = root
    for (const key of keys.slice(0, -1)) group = (group[key] ??= {}) as Record<string, unknown>
    group[keys.at(-1) ?? ''] = kind === 'path' && typeof value === 'string' && value !== '' ? resolvePath(value, { base, home }) : value
  }
  return root
}

function describeIssues (issues: readonly z.core.$ZodIssue[], said: ReadonlyMap<string, SaidSetting>): readonly ConfigProblem[] {
  // A list with several wrong items of the wrong type is one problem.
  return [...new Map(issues.map((issue) => describeIssue(issue, said)).map((problem) => [JSON.stringify(problem), problem])).values()]
}

function describeIssue (issue: z.core.$ZodIssue, said: ReadonlyMap<string, SaidSetting>): ConfigProblem {
  const setting = settings.find(({ keys }) => keys.every((key, depth) => key === issue.path[depth]))
  if (setting === undefined) return { source: issue.path.join('.'), message: issue.message }

  const { path, flag, variable, allowed, isSecret } = setting
  const source = said.get(path)?.source ?? `${path} (${flag}, ${variable})`
  if (issue.code === 'custom') return { source, message: issue.message }
  return { source, message: isSecret ? `must be ${allowed}` : `must be ${allowed}, not ${shortly(said.get(path)?.value)}` }
}

function shortly (value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}

function deepFreeze<T> (value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
