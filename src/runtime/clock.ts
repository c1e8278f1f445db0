/** The only source of time. Everything that asks what time it is gets one passed in. */
export interface Clock {
  /** Wall time in epoch milliseconds: for records, and for deadlines shared with a database. */
  nowMs (): number
  /** Milliseconds since an arbitrary start, never going back: for how long something took here. */
  monotonicMs (): number
}

/** The clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now()
}
