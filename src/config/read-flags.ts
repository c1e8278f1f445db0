import { parseArgs } from 'node:util'
import { withoutCredentials } from '../text/without-credentials.ts'
import type { ConfigProblem } from './config-refusal.ts'
import { readText, type SaidSetting, type SettingSource } from './setting-source.ts'
import { nearestSetting, settings, type Setting } from './setting.ts'

/** What the flags say, and the file that `--config` names. */
export interface Flags extends SettingSource {
  readonly configFile: string | undefined
}

const configFlag = '--config'
const byFlag: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.flag, setting]))

/**
 * Reads `--name value`, `--name=value`, `--name` and `--no-name`. A list may be given at once,
 * with commas, or piece by piece; of anything else the last one counts.
 */
export function readFlags ({ argv, cwd }: { readonly argv: readonly string[], readonly cwd: string }): Flags {
  const said = new Map<Setting, SaidSetting>()
  const problems: ConfigProblem[] = []
  let configFile: string | undefined

  for (const token of tokenize(argv)) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      problems.push({ source: withoutCredentials(token.value), message: 'is not expected here; flags begin with --' })
      continue
    }

    const { rawName, inlineValue } = token
    const negated = byFlag.get(rawName.replace(/^--no-/, '--'))
    const setting = byFlag.get(rawName) ?? (negated?.kind === 'boolean' ? negated : undefined)
    if (setting === undefined && rawName !== configFlag) {
      problems.push({ source: rawName, message: `there is no such flag${suggestion(rawName)}` })
    } else if (setting?.kind === 'boolean' && rawName !== setting.flag) {
      if (inlineValue === true) problems.push({ source: rawName, message: `takes no value; write ${setting.flag}=${token.value}` })
      else said.set(setting, { setting, value: false, source: rawName, base: cwd })
    } else if (setting?.kind === 'boolean') {
      said.set(setting, { setting, value: token.value === undefined ? true : readText(setting, token.value), source: rawName, base: cwd })
    } else if (token.value === undefined || token.value === '' || (inlineValue !== true && token.value.startsWith('-'))) {
      problems.push({ source: rawName, message: `needs a value, like ${rawName}=…` })
    } else if (setting === undefined) {
      configFile = token.value
    } else {
      const earlier = said.get(setting)?.value
      const value = readText(setting, token.value)
      said.set(setting, { setting, value: Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value, source: rawName, base: cwd })
    }
  }

  return { said: [...said.values()], problems, configFile }
}

function tokenize (argv: readonly string[]) {
  const options = Object.fromEntries([
    [configFlag.slice(2), { type: 'string' as const }],
    ...settings.map(({ flag, kind }) => [flag.slice(2), { type: kind === 'boolean' ? 'boolean' as const : 'string' as const }])
  ])
  // Not strict, since it would stop at the first thing that is wrong.
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

function suggestion (flag: string): string {
  const nearest = nearestSetting(flag.replace(/^--?(?:no-)?/, ''))
  return nearest === undefined ? '' : `; did you mean ${nearest.flag}?`
}
