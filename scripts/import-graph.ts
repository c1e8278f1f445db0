/**
 * Which file imports which, read from the imports as they stand in the code, types included.
 *
 * Two things are asked of it: whether files import each other in a circle, which no part of mooring
 * may do, and how many arrows there are between rooms. `npm run rooms` prints both.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { packageRoot } from '../src/runtime/package-root.ts'

/** The files that each file imports, all as paths below the root, in the order of their names. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export const parts = ['src', 'plugins', 'routes'] as const

const importing = /(?:^|\n)\s*(?:import|export)\b[^'\n]*(?:\n[^'\n]*)*?\bfrom\s+'(\.{1,2}\/[^']+\.ts)'|(?:^|\n)import\s+'(\.{1,2}\/[^']+\.ts)'|\bimport\('(\.{1,2}\/[^']+\.ts)'\)/g

/** @param root the folder in which `folders` are */
export function readImports (root: string = packageRoot, folders: readonly string[] = parts): ImportGraph {
  const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/'))))
  return new Map(files.sort().map((file) => [file, importsOf(readFileSync(join(root, file), 'utf8'), file)]))
}

/** The files that a text imports; `file` is where the text stands. */
export function importsOf (text: string, file: string): readonly string[] {
  const found = [...text.matchAll(importing)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
  return [...new Set(found.map((specifier) => posix.join(posix.dirname(file), specifier)))].sort()
}

/** The files that import each other, directly or by way of others: one list for each such group. */
export function circlesOf (graph: ImportGraph): ReadonlyArray<readonly string[]> {
  const reached = new Map([...graph.keys()].map((file) => [file, reachedFrom(file, graph)]))
  const circles = new Map<string, readonly string[]>()
  for (const [file, own] of reached) {
    const circle = [...own].filter((other) => reached.get(other)?.has(file)).sort()
    if (circle.length > 0) circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}

function reachedFrom (start: string, graph: ImportGraph): ReadonlySet<string> {
  const reached = new Set<string>()
  const next = [...graph.get(start) ?? []]
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    next.push(...graph.get(file) ?? [])
  }
  return reached
}

/** `src/leases/queue/x.ts` stands in the room `src/leases`; what is in no room is named as it is. */
export function roomOf (file: string): string {
  const [part = '', room = ''] = file.split('/')
  if (part !== 'src') return part
  return room.endsWith('.ts') ? file : `${part}/${room}`
}

/** The rooms that each room imports from. */
export function arrowsBetweenRooms (graph: ImportGraph): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, Set<string>>()
  for (const [file, imported] of graph) {
    const room = roomOf(file)
    const seen = arrows.get(room) ?? new Set()
    arrows.set(room, seen)
    for (const other of imported) if (roomOf(other) !== room) seen.add(roomOf(other))
  }
  return new Map([...arrows].map(([room, others]) => [room, [...others].sort()]))
}
