/** What callers that wait are told of their positions: each once, and again when there is news. */
import type { QueuePosition } from '../contract/lease-manager.ts'
import type { AcquireRequest } from './acquire-request.ts'

/** An estimate that moves by more than this is told again. */
const estimateMovesMs = 5_000

export interface ToldPositions {
  /** Tells the caller of a request where it stands, unless it knows. */
  tell (request: AcquireRequest, position: QueuePosition): void
}

export function createToldPositions (nowMs: () => number): ToldPositions {
  const told = new WeakMap<AcquireRequest, { readonly position: QueuePosition, readonly atMs: number }>()
  return {
    tell (request, position) {
      const atMs = nowMs()
      const before = told.get(request)
      if (before !== undefined && !isNews(position, before.position, atMs - before.atMs)) return
      told.set(request, { position, atMs })
      request.onWaiting?.(position)
    }
  }
}

/** Whether a position differs from the one that was told, apart from the time that has passed since. */
function isNews (now: QueuePosition, told: QueuePosition, passedMs: number): boolean {
  if (now.position !== told.position || now.note !== told.note) return true
  if (now.estimateMs === undefined || told.estimateMs === undefined) return now.estimateMs !== told.estimateMs
  return Math.abs(now.estimateMs - Math.max(0, told.estimateMs - passedMs)) > estimateMovesMs
}
