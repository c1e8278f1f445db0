import { pino, type Logger } from 'pino'
import { traceLogFields } from './request-scope.ts'

/** The log of the process: one JSON object a line, each with the trace that its code runs for. */
export function createLog ({ level, destination }: {
  readonly level: string
  /** Where the lines go; stdout where nothing is said. */
  readonly destination: NodeJS.WritableStream | undefined
}): Logger {
  const options = {
    level,
    // An operator of several servers names them where the lines are collected.
    base: null,
    mixin: traceLogFields
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
