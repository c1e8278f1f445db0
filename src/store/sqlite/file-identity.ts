/**
 * Whether the files of an open database are still the ones that their names stand for.
 *
 * A program that deletes or replaces them does not disturb SQLite, which goes on in files without a
 * name, and all that is acknowledged from then on is lost with the process. Names and sizes are
 * looked at and no file is opened: to close any other descriptor of the database would give up the
 * locks that keep other processes out.
 */
import { statSync } from 'node:fs'

export interface FileIdentity {
  /** @returns what is wrong, as the end of a sentence; undefined when nothing is */
  problem (): string | undefined
}

interface Facts {
  readonly dev: number
  readonly ino: number
  readonly size: number
}

/** @param file of a database that is open, with its write-ahead log beside it */
export function identityOf (file: string): FileIdentity {
  const log = `${file}-wal`
  const ofFile = factsOf(file)
  let ofLog = factsOf(log)
  let leastSize = ofFile?.size ?? 0

  return {
    problem () {
      const now = factsOf(file)
      if (!isSame(now, ofFile)) return 'its file was deleted or replaced'
      // It is never made shorter by SQLite, as it is not vacuumed.
      if (now === undefined || now.size < leastSize) return 'its file was cut short by another program'
      leastSize = now.size
      const logNow = factsOf(log)
      ofLog ??= logNow
      return isSame(logNow, ofLog) ? undefined : 'its write-ahead log was deleted or replaced'
    }
  }
}

function isSame (one: Facts | undefined, other: Facts | undefined): boolean {
  return one?.dev === other?.dev && one?.ino === other?.ino
}

function factsOf (path: string): Facts | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
