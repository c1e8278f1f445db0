/**
 * What is known of the request that the current code runs for.
 *
 * It is installed for the request's own asynchronous context, so that code anywhere can write a
 * log line that names its trace, or say which device the request is about, and requests that run
 * beside each other never see each other's. Work that a request merely set off, such as a timer
 * that many share, runs in none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Scheduler } from './scheduler.ts'

/** The two ends of the connection that a request came over. */
export interface Peer {
  /** Of HTTP: `1.1`. */
  readonly protocolVersion: string
  readonly serverAddress: string
  readonly serverPort: number | undefined
  readonly clientAddress: string | undefined
  readonly clientPort: number | undefined
}

export interface RequestScope {
  /** Undefined until there is a trace: a caller's, or one that begins here. */
  traceId: string | undefined
  /** The span that the code runs in: ours where one is recorded, else the caller's. */
  spanId: string | undefined
  /** The connection; undefined where no spans are recorded. */
  readonly peer: Peer | undefined
  /** Takes note of the device that the request is about. */
  readonly noteDevice?: (deviceId: string) => void
}

const scope = new AsyncLocalStorage<RequestScope | undefined>()

export function runInScope<T> (of: RequestScope, work: () => T): T {
  return scope.run(of, work)
}

/** Runs work that belongs to no request, whichever request sets it off. */
export function runOutsideScopes<T> (work: () => T): T {
  // Node watches every promise of the process from the first run on, which a server without traces need not pay for.
  return scope.getStore() === undefined ? work() : scope.run(undefined, work)
}

export function currentScope (): RequestScope | undefined {
  return scope.getStore()
}

/** The names of OpenTelemetry for log lines. */
export interface TraceLogFields {
  readonly trace_id?: string
  readonly span_id?: string
}

/**
 * Fields that every log line of a traced request carries. Only the ids: state and baggage may be
 * private. The object is the caller's own: the log puts the fields of its line into it.
 */
export function traceLogFields (): TraceLogFields {
  const current = scope.getStore()
  return current === undefined ? {} : logFieldsOf(current)
}

/** The same of a scope that the current code may not run in. */
export function logFieldsOf ({ traceId, spanId }: Pick<RequestScope, 'traceId' | 'spanId'>): TraceLogFields {
  if (traceId === undefined) return {}
  return spanId === undefined ? { trace_id: traceId } : { trace_id: traceId, span_id: spanId }
}

/** Tells the span of the current request, if there is one, which device it is about. */
export function noteDevice (deviceId: string): void {
  scope.getStore()?.noteDevice?.(deviceId)
}

/**
 * Timers that fire outside of all requests. A timer belongs to the request that happened to set
 * it, while what it does later, such as ending a lease that is over, belongs to none.
 */
export function outsideScopes (scheduler: Scheduler): Scheduler {
  return {
    after: (delayMs, work) => runOutsideScopes(() => scheduler.after(delayMs, work)),
    every: (intervalMs, work) => runOutsideScopes(() => scheduler.every(intervalMs, work))
  }
}
