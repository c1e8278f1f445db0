import { readFileSync } from 'node:fs'

/** Enough to share what is loaded; more would leave one process at work when all others have ended. */
const mostFiles = 8

/**
 * Which files share a process, the same ones in every run: those of one room, a few at a time.
 * A file that says `@alone` in its first comment has a process of its own; those come first,
 * and the largest rooms next, so that no long one begins last.
 */
export function groupsOf (files: readonly string[], { isAlone = saysAlone, roomOf }: {
  readonly isAlone?: (file: string) => boolean
  readonly roomOf: (file: string) => string
}): ReadonlyArray<readonly string[]> {
  const alone: string[][] = []
  const rooms = new Map<string, string[]>()
  for (const file of [...files].sort()) {
    if (isAlone(file)) alone.push([file])
    else rooms.set(roomOf(file), [...rooms.get(roomOf(file)) ?? [], file])
  }
  const shared = [...rooms.values()].flatMap((room) => inEqualParts(room))
  return [...alone, ...shared.sort((one, other) => other.length - one.length)]
}

function saysAlone (file: string): boolean {
  return /^\/\*\*(?:[^*]|\*(?!\/))*@alone\b/.test(readFileSync(file, 'utf8'))
}

function inEqualParts (room: readonly string[]): ReadonlyArray<readonly string[]> {
  const parts = Math.ceil(room.length / mostFiles)
  const size = Math.ceil(room.length / parts)
  return Array.from({ length: parts }, (_, part) => room.slice(part * size, (part + 1) * size))
}
