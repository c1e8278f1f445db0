import type { Era } from '../../src/protocol/versions.ts'

export interface ContenderSetup {
  readonly toolCount: number
  /** What a contender that only repeats bytes answers, by path. */
  readonly answers: Readonly<Record<string, string>>
}

export interface StartedContender {
  readonly port: number
  /** What it wants in `Authorization`, if it looks there. */
  readonly token?: string
  /** Of a contender that serves listen streams. */
  readonly streams?: Streams
  close (): Promise<void>
}

export interface Streams {
  /** Tells every open stream that the list of tools has changed. */
  publish (): void
  /** How many it believes are open. */
  count (): number
}

export interface Contender {
  readonly name: string
  readonly label: string
  readonly eras: readonly Era[]
  /** True when it does nothing but answer the bytes that mooring answers. */
  readonly repeats: boolean
  /** Loads its code and listens; each runs in a process of its own. */
  readonly start: (setup: ContenderSetup) => Promise<StartedContender>
}

/** What lists answer with is text of this type from all that only repeat it. */
export const repeatedType = 'application/json; charset=utf-8'

/**
 * The form in which Node sends a body the fastest: a short text goes out in one piece with the
 * headers, a long one is not encoded again for every answer.
 */
export function fastestForm (text: string): string | Buffer {
  return text.length < 16_384 ? text : Buffer.from(text)
}
