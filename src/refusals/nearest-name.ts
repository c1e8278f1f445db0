import { editDistance } from './edit-distance.ts'

/** The known name that `name` is most likely a misspelling of; undefined when none is near. */
export function nearestName (name: string, known: Iterable<string>): string | undefined {
  let nearest: { readonly name: string, readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < (nearest?.distance ?? Infinity)) nearest = { name: candidate, distance }
  }
  return nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(name.length / 3)) ? nearest.name : undefined
}
