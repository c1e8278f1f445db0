/**
 * What is measured of MCP requests: a span and a duration each, under the names of the
 * OpenTelemetry conventions for MCP (`operation-attributes.ts`).
 *
 * Knows the OpenTelemetry API alone. What becomes of spans and durations is decided by the code
 * that makes the tracer and the meter.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context, type HrTime, type Meter, type Span, type SpanContext, type Tracer } from '@opentelemetry/api'
import type { SpanReference, TraceContext } from '../protocol/trace-context.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ending, Failure, Operation } from './operation.ts'
import { attributeNames, durationAttributes, durationBuckets, durationName, endingAttributes, spanAttributes, spanName, waitBuckets, waitName } from './operation-attributes.ts'
import type { PrincipalHash } from './principal-hash.ts'
import { runInScope, runOutsideScopes, type RequestScope } from '../runtime/request-scope.ts'

export interface Operations {
  /**
   * Does the work of a request within its span and its scope.
   *
   * @param endingOf what its outcome means
   */
  run<T> (operation: Operation, scope: RequestScope | undefined, work: () => Promise<T>, endingOf: (outcome: T) => Ending): Promise<T>
  /** Records a request that was refused before its work began, `tookMs` after it came. */
  refused (operation: Operation, failure: Failure, tookMs: number): void
}

export function createOperations ({ tracer, meter, clock, principalHash }: {
  /** Undefined: no spans. */
  readonly tracer: Tracer | undefined
  /** Undefined: no durations. */
  readonly meter: Meter | undefined
  readonly clock: Clock
  readonly principalHash: PrincipalHash
}): Operations {
  const durations = meter?.createHistogram(durationName, {
    unit: 's',
    description: 'The duration of the MCP request as observed on the receiver.',
    advice: { explicitBucketBoundaries: [...durationBuckets] }
  })

  const waits = meter?.createHistogram(waitName, {
    unit: 's',
    description: 'How long MCP requests that waited did nothing else: for a device, for the screen, for their caller, for their turn.',
    advice: { explicitBucketBoundaries: [...waitBuckets] }
  })

  function begin (operation: Operation, startedAtMs: number): Span | undefined {
    return tracer?.startSpan(spanName(operation), {
      kind: SpanKind.SERVER,
      startTime: hrTime(startedAtMs),
      attributes: spanAttributes(operation, principalHash),
      links: operation.trace?.around === undefined ? [] : [{ context: spanContext(operation.trace.around) }]
    }, parentContext(operation.trace))
  }

  function end (operation: Operation, span: Span | undefined, ending: Ending, endedAtMs: number, tookMs: number): void {
    // Whatever sends it later belongs to no request.
    runOutsideScopes(() => {
      const { failure, waitedMs = 0 } = ending
      span?.setAttributes(endingAttributes(ending))
      if (waitedMs > 0) {
        span?.setAttribute(attributeNames.waitDuration, waitedMs / 1_000)
        waits?.record(waitedMs / 1_000, durationAttributes(operation, ending))
      }
      if (span !== undefined && failure !== undefined) {
        // Without a description: the messages of errors can repeat arguments.
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span?.end(hrTime(endedAtMs))
      // What only waited did no work: a request that waited ten minutes for a device was not slow.
      durations?.record(Math.max(0, tookMs - waitedMs) / 1_000, durationAttributes(operation, ending))
    })
  }

  return {
    async run (operation, scope, work, endingOf) {
      const startedAtMs = clock.nowMs()
      const startedMs = clock.monotonicMs()
      const span = begin(operation, startedAtMs)
      const { traceId, spanId } = span?.spanContext() ?? operation.trace?.parent ?? noSpan
      if (scope !== undefined) {
        // A trace that begins here is the one of the HTTP request too, for the line that ends it.
        scope.traceId ??= traceId
        if (scope.traceId === traceId) scope.spanId = spanId
      }

      let ending: Ending = { failure: '_OTHER' }
      try {
        const outcome = await runInScope({
          traceId, spanId, peer: operation.peer, noteDevice: (deviceId) => span?.setAttribute(attributeNames.deviceId, deviceId)
        }, work)
        ending = endingOf(outcome)
        return outcome
      } finally {
        const tookMs = clock.monotonicMs() - startedMs
        end(operation, span, ending, startedAtMs + tookMs, tookMs)
      }
    },

    refused (operation, failure, tookMs) {
      const endedAtMs = clock.nowMs()
      end(operation, begin(operation, endedAtMs - tookMs), { failure }, endedAtMs, tookMs)
    }
  }
}

const noSpan = { traceId: undefined, spanId: undefined }

function parentContext (context: TraceContext | undefined): Context {
  // The state stays behind: it would be sent with the span, and can be private.
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext(context.parent))
}

function spanContext ({ traceId, spanId, sampled }: SpanReference): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true }
}

/** Spelled out, because a number could be taken for one of the process's own time. */
function hrTime (ms: number): HrTime {
  const wholeMs = Math.floor(ms)
  return [Math.floor(wholeMs / 1_000), (wholeMs % 1_000) * 1_000_000 + Math.round((ms - wholeMs) * 1_000_000)]
}
