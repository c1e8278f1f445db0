/**
 * Sends telemetry to a collector: OTLP over HTTP, one POST a batch.
 *
 * A collector that is away for a moment is tried again, with growing pauses, for ten seconds;
 * then the batch is lost. Unlike the exporters of the SDK this one can be told to give up:
 * theirs keep a stopping process alive until the last try is over, and for as long as a
 * connection takes to fail.
 */
import type { Clock } from '../runtime/clock.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'

export interface OtlpSender {
  /** Sends one batch. Never rejects. @returns whether it was delivered */
  send (batch: Uint8Array): Promise<boolean>
  /** Resolves when nothing is being sent. */
  idle (): Promise<void>
  /** Gives up what is being sent, and sends nothing more. */
  close (): void
}

export interface SenderLog {
  info (facts: object, message: string): void
  warn (facts: object, message: string): void
}

const limitMs = 10_000
const firstPauseMs = 1_000

/** What passes by itself. */
const passingStatuses: readonly number[] = [429, 502, 503, 504]

type Attempt = 'delivered' | { readonly reason: string, readonly retryAfterMs: number | undefined }

export function createOtlpSender ({ what, url, headers, clock, scheduler, log }: {
  /** What it sends, for the log. */
  readonly what: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: SenderLog
}): OtlpSender {
  const closing = new AbortController()
  const underWay = new Set<Promise<boolean>>()
  let isFailing = false

  async function deliver (batch: Uint8Array): Promise<boolean> {
    const deadlineMs = clock.monotonicMs() + limitMs
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const attempt = await post(batch, deadlineMs - clock.monotonicMs())
      if (attempt === 'delivered') {
        if (isFailing) log.info({ what }, 'telemetry is delivered again')
        isFailing = false
        return true
      }
      const { reason, retryAfterMs } = attempt
      const waitMs = Math.max(pauseMs, retryAfterMs ?? 0)
      if (retryAfterMs === undefined || closing.signal.aborted || clock.monotonicMs() + waitMs >= deadlineMs) {
        // Once an outage: the next batch is due in seconds.
        if (!isFailing) log.warn({ what, collector: url.origin, reason }, 'telemetry could not be delivered')
        isFailing = true
        return false
      }
      await pause(waitMs)
    }
  }

  async function post (batch: Uint8Array, remainingMs: number): Promise<Attempt> {
    const giveUp = new AbortController()
    const stop = (): void => giveUp.abort(closing.signal.reason)
    closing.signal.addEventListener('abort', stop)
    if (closing.signal.aborted) stop()
    const cancel = scheduler.after(remainingMs, () => giveUp.abort(new Error(`no answer within ${limitMs} ms`)))
    try {
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(batch), redirect: 'error', signal: giveUp.signal })
      await response.body?.cancel()
      if (response.ok) return 'delivered'
      const reason = `the answer was HTTP ${response.status}`
      return { reason, retryAfterMs: passingStatuses.includes(response.status) ? retryAfterMs(response) : undefined }
    } catch (error) {
      return { reason: reasonOf(error), retryAfterMs: 0 }
    } finally {
      cancel()
      closing.signal.removeEventListener('abort', stop)
    }
  }

  /** Ends early when there is nothing more to wait for. */
  async function pause (waitMs: number): Promise<void> {
    let stop: () => void = () => {}
    let cancel: Cancel = () => {}
    await new Promise<void>((resolve) => {
      stop = resolve
      cancel = scheduler.after(waitMs, resolve)
      closing.signal.addEventListener('abort', stop)
    })
    cancel()
    closing.signal.removeEventListener('abort', stop)
  }

  return {
    async send (batch) {
      const sending = deliver(batch)
      underWay.add(sending)
      try {
        return await sending
      } finally {
        underWay.delete(sending)
      }
    },
    async idle () {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    close: () => closing.abort(new Error('the server is closing'))
  }
}

function retryAfterMs ({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0
}

/** The message of a failed `fetch` says little; its cause knows. */
function reasonOf (error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
