import type { Command } from './device-types.ts'
import type { FileInfo } from './file-commands.ts'

/** Screens of a recording beside each other in one picture, row by row, in the order of time. */
export interface ContactSheet {
  /** A PNG file. */
  readonly png: Buffer
  /** Since when each of them showed, in milliseconds from the beginning of the recording. */
  readonly atMs: readonly number[]
}

/** A finished recording: a file in the holder's folder on the phone. */
export interface Recording extends FileInfo {
  readonly mimeType: string
  readonly durationMs: number
  /** False when more happened than the phone can record, and the end is missing. */
  readonly isComplete: boolean
  /** Where the driver can make one. */
  readonly contactSheet?: ContactSheet
}

/** Commands that record the screen, one recording at a time. */
export interface RecordingCommands {
  /**
   * Records from now on, for `maxMs` at most, or for as long as the phone can; what happens later
   * is not in it.
   *
   * @throws {AlreadyRecordingRefusal}
   */
  startRecording (options: { readonly maxMs: number }, command: Command): Promise<void>

  /**
   * Ends the recording and keeps it as a file. One that cannot be kept is not lost: the command
   * can be repeated once there is room.
   *
   * @throws {NotRecordingRefusal}
   * @throws {StorageFullRefusal}
   */
  stopRecording (command: Command): Promise<Recording>

  /** Ends a recording and forgets it. @returns whether there was one */
  discardRecording (command: Command): Promise<boolean>
}
