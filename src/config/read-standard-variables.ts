/**
 * Settings from OpenTelemetry's own variables, under which operators configure every program
 * they run. They count like our own variables, which outrank them. An empty one counts as unset, and
 * so does one that asks for something that mooring does not have, such as gRPC: it was
 * meant for others.
 */
import type { Environment } from './config-folders.ts'
import { readText, type SaidSetting } from './setting-source.ts'
import { settings } from './setting.ts'

interface StandardVariable {
  readonly variable: string
  /** Of the setting. */
  readonly path: string
  /** The text of the setting; undefined: as if the variable were unset. */
  readonly read: (value: string, env: Environment) => string | undefined
}

const asItIs = (value: string): string => value
const ifOneOf = (...usable: readonly string[]) => (value: string): string | undefined => usable.includes(value) ? value : undefined
const clearedBy = (word: string) => (value: string): string | undefined => value.trim().toLowerCase() === word ? 'false' : undefined

const variables: readonly StandardVariable[] = [
  { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', path: 'telemetry.endpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', path: 'telemetry.tracesEndpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', path: 'telemetry.metricsEndpoint', read: asItIs },
  { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', path: 'telemetry.protocol', read: ifOneOf('http/protobuf', 'http/json') },
  { variable: 'OTEL_EXPORTER_OTLP_HEADERS', path: 'telemetry.headers', read: asItIs },
  { variable: 'OTEL_TRACES_EXPORTER', path: 'telemetry.traces', read: clearedBy('none') },
  { variable: 'OTEL_METRICS_EXPORTER', path: 'telemetry.metrics', read: clearedBy('none') },
  { variable: 'OTEL_SDK_DISABLED', path: 'telemetry.traces', read: clearedBy('true') },
  { variable: 'OTEL_SDK_DISABLED', path: 'telemetry.metrics', read: clearedBy('true') },
  { variable: 'OTEL_TRACES_SAMPLER', path: 'telemetry.sampleRatio', read: readSampler }
]

export function readStandardVariables ({ env, cwd }: { readonly env: Environment, readonly cwd: string }): readonly SaidSetting[] {
  return variables.flatMap(({ variable, path, read }) => {
    const value = env[variable]
    const text = value === undefined || value === '' ? undefined : read(value, env)
    const setting = settings.find((candidate) => candidate.path === path)
    return text === undefined || setting === undefined ? [] : [{ setting, value: readText(setting, text), source: variable, base: cwd }]
  })
}

function readSampler (sampler: string, env: Environment): string | undefined {
  switch (sampler.replace(/^parentbased_/, '')) {
    case 'always_on': return '1'
    case 'always_off': return '0'
    case 'traceidratio': return env['OTEL_TRACES_SAMPLER_ARG'] || undefined
    default: return undefined
  }
}
