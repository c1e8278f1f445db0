/**
 * Recordings of the screen. The phone has no timers, and needs none for this: between two
 * changes of the screen a film of it would show a still, so a recording is the screens that
 * there were and since when each.
 */
import { AlreadyRecordingRefusal, NotRecordingRefusal } from '../../device-state-refusals.ts'
import type { Screen } from '../screen/composed-screen.ts'
import type { PhoneCore } from './phone-core.ts'
import type { RecordingState } from './phone-state.ts'

/** A recording that is over, ready to be drawn. */
export interface Take {
  readonly frames: ReadonlyArray<{ readonly screen: Screen, readonly durationMs: number }>
  readonly durationMs: number
  readonly isComplete: boolean
}

const mostFrames = 40
const longestMs = 180_000
// Boxes of all screens together, with what their texts take.
const mostWeight = 40_000
// A viewer sees no more in a film: of what changes faster, the last counts.
const shortestFrameMs = 100

/** @throws {AlreadyRecordingRefusal} */
export function startRecording (core: PhoneCore, maxMs: number): void {
  if (core.state.recording !== undefined) throw new AlreadyRecordingRefusal()
  const startedMs = core.nowMs()
  core.state.recording = { startedMs, maxMs, frames: [{ atMs: startedMs, screen: core.screen() }], isComplete: true }
}

/** Notes what the screen shows now, where that is new; has to be called whenever it may be. */
export function noteFrame (core: PhoneCore): void {
  const { recording } = core.state
  const last = recording?.frames.at(-1)
  if (recording === undefined || last === undefined) return
  const atMs = core.nowMs()
  if (!recording.isComplete || atMs > lastMs(recording) || core.screen() === last.screen) return
  const isTooSoon = recording.frames.length > 1 && atMs < last.atMs + shortestFrameMs
  const before = isTooSoon ? recording.frames.slice(0, -1) : recording.frames
  const weight = before.reduce((sum, { screen }) => sum + screen.weight, core.screen().weight)
  core.state.recording = before.length >= mostFrames || weight > mostWeight
    ? { ...recording, isComplete: false }
    : { ...recording, frames: [...before, { atMs: isTooSoon ? last.atMs : atMs, screen: core.screen() }] }
}

/**
 * The recording so far.
 *
 * @throws {NotRecordingRefusal}
 */
export function takeOf (core: PhoneCore): Take {
  const { recording } = core.state
  if (recording === undefined) throw new NotRecordingRefusal()
  const { startedMs, maxMs, frames, isComplete } = recording
  const endMs = Math.min(core.nowMs(), lastMs(recording))
  return {
    frames: frames.map(({ atMs, screen }, index) => ({ screen, durationMs: Math.round((frames[index + 1]?.atMs ?? endMs) - atMs) })),
    durationMs: Math.round(endMs - startedMs),
    isComplete: isComplete && (maxMs <= longestMs || core.nowMs() <= endMs)
  }
}

/** When a recording ends at the latest. */
function lastMs ({ startedMs, maxMs }: RecordingState): number {
  return startedMs + Math.min(maxMs, longestMs)
}
