import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { isLive, type Lease } from './contract/lease.ts'
import { shownHandle, type Log } from './log.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

const sweepEveryMs = 2_000
const suspectMs = 4_000

/**
 * Leases whose holders promised to beat, and when each was last heard of.
 *
 * Who is silent for longer than it promised is suspect, and given up 4 s later. Calls are signs
 * of life like heartbeats are, and one that runs holds the end off. What was heard is not
 * recorded: after a restart everybody has its full time again.
 */
export interface Heartbeats {
  /** Begins to expect heartbeats, if the lease has promised any. */
  expect (lease: Lease): void
  /** The holder of a lease is there. */
  hear (handle: string): void
  stop (): void
}

export function createHeartbeats ({ board, scheduler, nowMs, isVetoed, giveUp, log }: {
  readonly board: OccupancyBoard
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly isVetoed: (handle: string) => boolean
  readonly giveUp: (lease: Lease) => Promise<unknown>
  readonly log: Log
}): Heartbeats {
  const heard = new Map<string, { readonly deviceId: string, readonly heartbeatMs: number, atMs: number, isSuspect: boolean }>()
  let stopSweeping: Cancel | undefined

  function sweep () {
    for (const [handle, holder] of heard) {
      const lease = board.of(holder.deviceId)?.lease
      if (lease?.handle !== handle || !isLive(lease)) {
        heard.delete(handle)
        continue
      }
      const lateMs = nowMs() - holder.atMs - holder.heartbeatMs
      if (lateMs < 0 || isVetoed(handle)) continue
      if (lateMs >= suspectMs) {
        giveUp(lease).catch((fault: unknown) => log.error({ lease: shownHandle(handle), err: fault }, 'lease could not be given up'))
      } else if (!holder.isSuspect) {
        holder.isSuspect = true
        log.info({ lease: shownHandle(handle), device: holder.deviceId }, 'holder is silent for longer than it promised')
      }
    }
    if (heard.size === 0) stop()
  }

  function stop () {
    stopSweeping?.()
    stopSweeping = undefined
  }

  return {
    expect ({ handle, deviceId, heartbeatMs }) {
      if (heartbeatMs === undefined) return
      heard.set(handle, { deviceId, heartbeatMs, atMs: nowMs(), isSuspect: false })
      stopSweeping ??= scheduler.every(sweepEveryMs, sweep)
    },

    hear (handle) {
      const holder = heard.get(handle)
      if (holder !== undefined) Object.assign(holder, { atMs: nowMs(), isSuspect: false })
    },

    stop
  }
}
