import { createRounds, type Rounds } from '../../src/mcp/rounds.ts'
import { createServerRequests, type ServerRequests } from '../../src/mcp/server-requests.ts'
import { createSealer, type Sealer } from '../../src/protocol/sealed-string.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { manualTime, type ManualTime } from './manual-time.ts'

/** Rounds over a key and a time of their own. */
export function roundsBench (): {
  readonly rounds: Rounds
  readonly sealer: Sealer
  readonly serverRequests: ServerRequests
  readonly time: ManualTime
} {
  const time = manualTime(Date.UTC(2026, 0, 1))
  const serverRequests = createServerRequests({ ids: randomIds, maxWaiting: 10 })
  const sealer = createSealer({ keys: [randomIds.bytes(32)], purpose: 'request state', clock: time.clock, ids: randomIds })
  return { rounds: createRounds({ sealer, serverRequests, ids: randomIds }), sealer, serverRequests, time }
}
