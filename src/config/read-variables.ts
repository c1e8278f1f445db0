/**
 * Settings from `MOORING_…` variables, and below them from those that are a standard.
 *
 * An empty variable counts as unset. One that names nothing is a mistake, with these
 * exceptions: `MOORING_CONFIG` names the file; `MOORING_TOKEN` is what clients send; and
 * Kubernetes describes every service of a namespace to every pod, a service `mooring-db` as
 * `MOORING_DB_SERVICE_HOST` and `MOORING_DB_PORT_5432_TCP=tcp://10.0.0.1:5432`. Those are
 * passed over, except where the service is called `mooring` itself: then
 * `MOORING_PORT=tcp://10.0.0.1:8484` stands in the way of the setting.
 */
import type { Environment } from './config-folders.ts'
import type { ConfigProblem } from './config-refusal.ts'
import { readStandardVariables } from './read-standard-variables.ts'
import { readText, type SaidSetting, type SettingSource } from './setting-source.ts'
import { nearestSetting, settings, type Setting } from './setting.ts'

/** What the variables say, and the file that `MOORING_CONFIG` names. */
export interface Variables extends SettingSource {
  readonly configFile: string | undefined
  /** What is not understood, but may be meant for other programs. */
  readonly warnings: readonly string[]
}

/** Where clients look for the token; the server passes it over, unless `server.token` is `variable`. */
export const tokenVariable = 'MOORING_TOKEN'

const prefix = 'MOORING_'
const configVariable = 'MOORING_CONFIG'
const byVariable: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.variable, setting]))

export function readVariables ({ env, cwd }: { readonly env: Environment, readonly cwd: string }): Variables {
  const standard = readStandardVariables({ env, cwd })
  const said: SaidSetting[] = [...standard.said]
  const problems: ConfigProblem[] = []

  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || value === undefined || value === '') continue
    if (name === configVariable || name === tokenVariable) continue

    const setting = byVariable.get(name)
    if (setting !== undefined && !isServiceAddress(value)) {
      said.push({ setting, value: readText(setting, value), source: name, base: cwd })
    } else if (setting !== undefined) {
      problems.push({
        source: name,
        message: `${setting.isSecret ? 'its value' : value} comes from Kubernetes, for a service called mooring; set enableServiceLinks: false in the pod's spec, or rename the service`
      })
    } else if (!isServiceLink(name, value)) {
      problems.push({ source: name, message: `there is no such setting${suggestion(name)}` })
    }
  }

  const configFile = env[configVariable] === '' ? undefined : env[configVariable]
  return { said, problems, configFile, warnings: standard.warnings }
}

function isServiceLink (name: string, value: string): boolean {
  return /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/.test(name) ||
    /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith('_PORT') && isServiceAddress(value))
}

function isServiceAddress (value: string): boolean {
  return /^(?:tcp|udp|sctp):\/\//.test(value)
}

function suggestion (name: string): string {
  const nearest = nearestSetting(name.slice(prefix.length))
  return nearest === undefined ? '' : `; did you mean ${nearest.variable}?`
}
