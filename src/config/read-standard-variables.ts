/**
 * Settings from OpenTelemetry's own variables, under which operators configure every program
 * they run. They count like our own variables, which outrank them. An empty one counts as unset.
 *
 * A variable may ask for something that mooring does not have, such as gRPC: it may be meant for
 * other programs too, so it is no error. It counts as unset, and a warning says so. The warning
 * shows a value only where the value is one word of a known list, since others may be secrets.
 */
import type { Environment } from './config-folders.ts'
import { readText, type SaidSetting } from './setting-source.ts'
import { settings } from './setting.ts'

interface StandardVariable {
  readonly variable: string
  /** Of the setting. */
  readonly path: string
  readonly read: (value: string, env: Environment) => Reading
}

/** The text of the setting; or why the variable counts as unset, undefined where that needs no word. */
type Reading = { readonly text: string } | { readonly warning: string | undefined }

const noWarning: Reading = { warning: undefined }
const asItIs = (value: string): Reading => ({ text: value })

function ifOneOf (...usable: readonly string[]) {
  return (value: string): Reading => {
    return usable.includes(value) ? { text: value } : { warning: `${shown(value)} is not supported; mooring has ${usable.join(' and ')}` }
  }
}

/** `word` switches something off; the words of `usual` leave it as it is. */
function clearedBy (word: string, ...usual: readonly string[]) {
  return (value: string): Reading => {
    const said = value.trim().toLowerCase()
    if (said === word) return { text: 'false' }
    return usual.includes(said) ? noWarning : { warning: `${shown(value)} is not supported; mooring has ${[word, ...usual].join(' and ')}` }
  }
}

function shown (value: string): string {
  return /^[\w/.-]{1,40}$/.test(value) ? value : 'its value'
}

const variables: readonly StandardVariable[] = [
  { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', path: 'telemetry.endpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', path: 'telemetry.tracesEndpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', path: 'telemetry.metricsEndpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', path: 'telemetry.protocol', read: ifOneOf('http/protobuf', 'http/json') },
  { variable: 'OTEL_EXPORTER_OTLP_HEADERS', path: 'telemetry.headers', read: asItIs },
  { variable: 'OTEL_TRACES_EXPORTER', path: 'telemetry.traces', read: clearedBy('none', 'otlp') },
  { variable: 'OTEL_METRICS_EXPORTER', path: 'telemetry.metrics', read: clearedBy('none', 'otlp') },
  { variable: 'OTEL_SDK_DISABLED', path: 'telemetry.traces', read: clearedBy('true', 'false') },
  { variable: 'OTEL_SDK_DISABLED', path: 'telemetry.metrics', read: clearedBy('true', 'false') },
  { variable: 'OTEL_TRACES_SAMPLER', path: 'telemetry.sampleRatio', read: readSampler }
]

/** Read where telemetry is set up, and not as a setting of ours. */
const readElsewhere = ['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_TRACES_SAMPLER_ARG']

export interface StandardSettings {
  readonly said: readonly SaidSetting[]
  /** One sentence for each variable that is not understood. */
  readonly warnings: readonly string[]
}

export function readStandardVariables ({ env, cwd }: { readonly env: Environment, readonly cwd: string }): StandardSettings {
  const said: SaidSetting[] = []
  const warnings = new Set<string>()
  for (const { variable, path, read } of variables) {
    const value = env[variable]
    const setting = settings.find((candidate) => candidate.path === path)
    if (value === undefined || value === '' || setting === undefined) continue
    const reading = read(value, env)
    if ('text' in reading) said.push({ setting, value: readText(setting, reading.text), source: variable, base: cwd })
    else if (reading.warning !== undefined) warnings.add(`${variable}: ${reading.warning}.`)
  }
  const known = new Set([...variables.map(({ variable }) => variable), ...readElsewhere])
  const unknown = Object.keys(env).filter((name) => name.startsWith('OTEL_') && env[name] !== '' && !known.has(name)).sort()
  for (const name of unknown) warnings.add(`${name}: mooring does not read this variable of OpenTelemetry.`)
  return { said, warnings: [...warnings] }
}

function readSampler (sampler: string, env: Environment): Reading {
  switch (sampler.replace(/^parentbased_/, '')) {
    case 'always_on': return { text: '1' }
    case 'always_off': return { text: '0' }
    case 'traceidratio': {
      const ratio = env['OTEL_TRACES_SAMPLER_ARG']
      return ratio === undefined || ratio === '' ? noWarning : { text: ratio }
    }
    default: return { warning: `${shown(sampler)} is not supported; mooring has always_on, always_off and traceidratio, alone and parent-based` }
  }
}
