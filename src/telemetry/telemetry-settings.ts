import { z } from 'zod'
import { withoutCredentials } from '../text/without-credentials.ts'

const endpoint = z.string().refine((value) => isHttpUrl(value), {
  error: ({ input }) => `${JSON.stringify(withoutCredentials(String(input)))} is no address; write it like http://127.0.0.1:4318, and credentials as telemetry.headers`
})

// The message leaves the value out: it is likely to be a secret.
const header = z.string().refine((value) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*=[\x20-\x7e]+$/.test(value), {
  error: 'has an item that is no header; write name=value'
})

/** Whether, where to and how spans and durations of MCP requests are sent: OTLP over HTTP. */
export const telemetrySettings = z.strictObject({
  endpoint: endpoint.optional()
    .describe('Address of an OpenTelemetry collector, for example http://127.0.0.1:4318. With it, a span and a duration of every MCP request are sent there; without any endpoint, nothing is measured. Also OTEL_EXPORTER_OTLP_ENDPOINT.'),
  tracesEndpoint: endpoint.optional()
    .describe('Full address for spans, where it is not endpoint/v1/traces. Also OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.'),
  metricsEndpoint: endpoint.optional()
    .describe('Full address for durations, where it is not endpoint/v1/metrics. Also OTEL_EXPORTER_OTLP_METRICS_ENDPOINT.'),
  protocol: z.enum(['http/protobuf', 'http/json']).default('http/protobuf')
    .describe('How spans and durations are written. Also OTEL_EXPORTER_OTLP_PROTOCOL.'),
  headers: z.array(header).default([])
    .meta({ writeOnly: true })
    .describe('Headers for every request to an endpoint, as name=value, percent-encoded; often a secret, so better set as a variable. Also OTEL_EXPORTER_OTLP_HEADERS.'),
  traces: z.boolean().default(true)
    .describe('Whether spans are sent, if there is an endpoint. OTEL_TRACES_EXPORTER=none clears it.'),
  metrics: z.boolean().default(true)
    .describe('Whether durations are sent, if there is an endpoint. OTEL_METRICS_EXPORTER=none clears it.'),
  sampleRatio: z.number().min(0).max(1).default(1)
    .describe('Share of the traces that begin here which are sent; a caller\'s trace is sent when the caller samples it. Also OTEL_TRACES_SAMPLER and its argument.')
})

type Output = z.output<typeof telemetrySettings>
export type TelemetrySettings = Readonly<Omit<Output, 'headers'>> & { readonly headers: readonly string[] }

/** Where to send what; undefined: not at all. */
export interface TelemetryTargets {
  readonly traces: URL | undefined
  readonly metrics: URL | undefined
}

export function telemetryTargets ({ endpoint, tracesEndpoint, metricsEndpoint, traces, metrics }: TelemetrySettings): TelemetryTargets {
  return {
    traces: traces ? target(tracesEndpoint, endpoint, 'v1/traces') : undefined,
    metrics: metrics ? target(metricsEndpoint, endpoint, 'v1/metrics') : undefined
  }
}

function target (own: string | undefined, common: string | undefined, path: string): URL | undefined {
  if (own !== undefined) return new URL(own)
  if (common === undefined) return undefined
  const url = new URL(common)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url
}

function isHttpUrl (value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
