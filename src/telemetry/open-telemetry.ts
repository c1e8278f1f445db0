/**
 * The OpenTelemetry SDK, set up to send what `operations.ts` measures to a collector.
 *
 * Loaded only when there is an endpoint (`import()`): nothing else may import this file, so
 * that a server without telemetry does not even read the SDK. Nothing is registered globally.
 */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core'
import { JsonMetricsSerializer, JsonTraceSerializer, ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { defaultResource, detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, ParentBasedSampler, TracerProvider, TraceIdRatioBasedSampler, type SpanExporter } from '@opentelemetry/sdk-trace'
import type { Clock } from '../runtime/clock.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { createOperations, type Operations } from './operations.ts'
import { createOtlpSender, type OtlpSender, type SenderLog } from './otlp-sender.ts'
import { createPrincipalHash } from './principal-hash.ts'
import { telemetryTargets, type TelemetrySettings } from './telemetry-settings.ts'

export interface OpenTelemetry {
  readonly operations: Operations
  /** Sends what is left, for as long as it may, and gives up the rest. */
  close (): Promise<void>
}

export interface OpenTelemetryParts {
  readonly settings: TelemetrySettings
  readonly version: string
  /** Tells the processes that send under one name apart. */
  readonly instanceId: string
  /** For hashes of principals. */
  readonly hashKey: Buffer
  /** How long closing may take. */
  readonly flushMs: number
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: SenderLog
}

const scopeName = 'mooring'

export function openTelemetry ({ settings, version, instanceId, hashKey, flushMs, clock, scheduler, log }: OpenTelemetryParts): OpenTelemetry {
  const { traces, metrics } = telemetryTargets(settings)
  const isJson = settings.protocol === 'http/json'
  const resource = describeProcess(version, instanceId)
  const senders: OtlpSender[] = []
  const providers: Array<{ shutdown (): Promise<void> }> = []

  function openSender (what: string, url: URL): OtlpSender {
    const headers = {
      'content-type': isJson ? 'application/json' : 'application/x-protobuf',
      'user-agent': `mooring/${version}`,
      ...readHeaders(settings.headers)
    }
    const sender = createOtlpSender({ what, url, headers, clock, scheduler, log })
    senders.push(sender)
    return sender
  }

  function openTracer (url: URL) {
    const exporter = spanExporter(openSender('spans', url), isJson)
    const provider = new TracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor({ exporter })],
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.sampleRatio) })
    })
    providers.push(provider)
    return provider.getTracer(scopeName, version)
  }

  function openMeter (url: URL) {
    const exporter = metricExporter(openSender('durations', url), isJson)
    const provider = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader({ exporter })] })
    providers.push(provider)
    return provider.getMeter(scopeName, version)
  }

  const operations = createOperations({
    tracer: traces === undefined ? undefined : openTracer(traces),
    meter: metrics === undefined ? undefined : openMeter(metrics),
    clock,
    principalHash: createPrincipalHash(hashKey)
  })

  return {
    operations,
    async close () {
      const flushed = Promise.allSettled(providers.map((provider) => provider.shutdown()))
      let cancel: Cancel = () => {}
      const timeIsUp = new Promise<void>((resolve) => { cancel = scheduler.after(flushMs, resolve) })
      await Promise.race([flushed, timeIsUp])
      cancel()
      for (const sender of senders) sender.close()
      await flushed
    }
  }
}

/** What `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say counts most. */
function describeProcess (version: string, instanceId: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'mooring', 'service.version': version, 'service.instance.id': instanceId }))
    .merge(detectResources({ detectors: [envDetector] }))
}

function spanExporter (sender: OtlpSender, isJson: boolean): SpanExporter {
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer
  return {
    export: (spans, done) => { sendBatch(sender, serializer.serializeRequest(spans), done) },
    shutdown: async () => await sender.idle()
  }
}

function metricExporter (sender: OtlpSender, isJson: boolean): PushMetricExporter {
  const serializer = isJson ? JsonMetricsSerializer : ProtobufMetricsSerializer
  return {
    export: (metrics, done) => { sendBatch(sender, serializer.serializeRequest(metrics), done) },
    forceFlush: async () => await sender.idle(),
    shutdown: async () => await sender.idle()
  }
}

function sendBatch (sender: OtlpSender, batch: Uint8Array | undefined, done: (result: ExportResult) => void): void {
  if (batch === undefined) {
    done({ code: ExportResultCode.FAILED })
    return
  }
  sender.send(batch).then(
    (delivered) => done({ code: delivered ? ExportResultCode.SUCCESS : ExportResultCode.FAILED }),
    (error: Error) => done({ code: ExportResultCode.FAILED, error })
  )
}

function readHeaders (headers: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map((header) => {
    const equals = header.indexOf('=')
    return [header.slice(0, equals).trim().toLowerCase(), decoded(header.slice(equals + 1).trim())]
  }))
}

function decoded (value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
