/** One turn of a client on a device, as the client saw it: within what it really had. */
export interface Turn {
  readonly device: string
  readonly client: string
  readonly fence: number
  /** The answer that granted the device had arrived. */
  readonly fromMs: number
  /** The request that gives it back had not been sent. */
  readonly untilMs: number
}

/** Jain's index of some numbers: 1 when all are equal, 1/n when one has everything. */
export function jainIndex (values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0)
  const squares = values.reduce((total, value) => total + value * value, 0)
  return squares === 0 ? 1 : sum * sum / (values.length * squares)
}

/** Pairs of turns on one device at once, and turns whose fence does not come after the one before. */
export function overlaps (turns: readonly Turn[]): readonly string[] {
  const latest = new Map<string, Turn>()
  return turns.toSorted((a, b) => a.fromMs - b.fromMs).flatMap((turn) => {
    const before = latest.get(turn.device)
    latest.set(turn.device, turn)
    if (before === undefined || (before.untilMs <= turn.fromMs && before.fence < turn.fence)) return []
    return [`${turn.device}: ${before.client} with fence ${before.fence} and ${turn.client} with fence ${turn.fence}`]
  })
}
