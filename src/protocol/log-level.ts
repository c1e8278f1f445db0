import { invalidParams } from './error-table.ts'
import type { JsonObject } from './message.ts'
import type { Rejection } from './rejection.ts'

export const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** Levels of `notifications/message`, least severe first (LOG-01). */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type LogLevel = (typeof logLevels)[number]

/** What a legacy request logs at: the old revisions let a server choose when none is set (LEGACY-08). */
export const legacyLogLevel: LogLevel = 'info'

export function isLogLevel (value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value)
}

/** Whether a caller that asked for `threshold` wants a message of `level`. */
export function reaches (level: LogLevel, threshold: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(threshold)
}

/** LOG-02: a level that a modern request states must be one. */
export function checkLogLevel (meta: JsonObject): Rejection | undefined {
  const level = meta[logLevelKey]
  if (level === undefined || isLogLevel(level)) return undefined
  return invalidParams(`${logLevelKey} must be one of ${logLevels.join(', ')}.`)
}
