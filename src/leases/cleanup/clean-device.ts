/**
 * One cleanup of one phone: what the ledger has is undone, the newest change first, then the
 * phone goes to its home state.
 *
 * Each step has a limit of its own and is tried three times. A step that fails does not keep the
 * others from being taken, unless the phone does not answer at all. What is done is done: its row
 * is gone, and neither a crash nor the next try repeats it. Going home comes last and gets what is
 * left of the time. It is not tried again here: it is the long step, and a device that fails it is
 * tried again as a whole.
 */
import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { Command } from '../../devices/device-types.ts'
import { DeviceOfflineRefusal } from '../../devices/device-refusals.ts'
import { waitFor } from '../../runtime/abortable.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { within } from '../deadline.ts'
import type { ChangeLedger, RecordedChange } from './change-ledger.ts'
import type { CleanupLevel } from './cleanup-level.ts'
import { undoChange, undoLimitMs } from './undo-change.ts'

const tries = 3
const betweenTriesMs = 250

/** What has come of a cleanup so far. */
export interface CleanupProgress {
  /** What was put back, in short phrases. */
  readonly cleaned: string[]
  readonly failures: Array<{
    /** The change that was not undone; undefined where going home failed, or the cleanup as a whole. */
    readonly step?: string
    readonly cause: unknown
  }>
}

export interface CleanupJob {
  readonly driver: DeviceDriver
  readonly ledger: ChangeLedger
  readonly scheduler: Scheduler
  readonly level: CleanupLevel
  /** The token that the cleanup runs with. */
  readonly fence: number
  readonly progress: CleanupProgress
}

/** Cleans a phone, and tells in `progress` what came of it as it goes. */
export async function cleanDevice (job: CleanupJob, signal: AbortSignal): Promise<void> {
  const { driver, ledger, level, fence } = job
  const deviceId = driver.description.id
  const command = { fence, signal }
  // Written down first, so that a cleanup that takes over from this one does no less.
  if (level === 'full') await ledger.record({ kind: 'erase', target: '', before: null }, { deviceId, fence })
  const changes = await ledger.changesOf(deviceId)
  const erases = changes.some(({ change }) => change.kind === 'erase')

  for (const change of changes) {
    if (change.change.kind === 'recording' || (level !== 'none' && !erases)) await takeStep(job, change, signal)
  }
  if (erases) {
    if (await goHome(job, () => driver.restoreHome(command), signal)) {
      for (const { id } of changes) await ledger.remove(id)
    }
  } else if (level !== 'none') {
    // A virtual phone is made as new in no time; a real one takes minutes.
    await goHome(job, () => driver.description.kind === 'virtual' ? driver.restoreHome(command) : showHome(driver, command), signal)
  }
}

async function takeStep (
  { driver, ledger, scheduler, fence, progress }: CleanupJob, { id, change }: RecordedChange, signal: AbortSignal
): Promise<void> {
  if (change.kind === 'erase') return
  const { kind } = change
  for (let left = tries - 1; ; left -= 1) {
    try {
      const done = await withinStep(scheduler, undoLimitMs(change), signal, (signal) => undoChange(driver, change, { fence, signal }))
      await ledger.remove(id)
      if (done !== undefined) progress.cleaned.push(done)
      return
    } catch (cause) {
      signal.throwIfAborted()
      // A phone that does not answer would fail every other step too, and keep the release waiting.
      if (left === 0 && cause instanceof DeviceOfflineRefusal) throw cause
      if (left === 0) {
        progress.failures.push({ step: change.target === '' ? kind : `${kind} ${change.target}`, cause })
        return
      }
      await waitFor(betweenTriesMs, [signal], scheduler)
    }
  }
}

async function goHome ({ progress }: CleanupJob, work: () => Promise<readonly string[]>, signal: AbortSignal): Promise<boolean> {
  try {
    progress.cleaned.push(...await work())
    return true
  } catch (cause) {
    signal.throwIfAborted()
    progress.failures.push({ cause })
    return false
  }
}

/** The home state as far as a phone that keeps its data can have it. */
async function showHome (driver: DeviceDriver, command: Command): Promise<readonly string[]> {
  const running = (await driver.listApps(command)).filter((app) => app.running && !app.system)
  for (const { id } of running) await driver.terminateApp(id, command)
  await driver.pressKey('home', { count: 1, long: false }, command)
  return running.map(({ name }) => `stopped ${name}`)
}

/** As `within`, and no longer than until `outer` aborts. */
async function withinStep<T> (
  scheduler: Scheduler, limitMs: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const controller = new AbortController()
  const stop = () => controller.abort(outer.reason)
  outer.addEventListener('abort', stop, { once: true })
  try {
    return await within({ scheduler, limitMs, controller }, work)
  } finally {
    outer.removeEventListener('abort', stop)
  }
}
