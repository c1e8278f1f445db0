import { editDistance } from '../../refusals/edit-distance.ts'
import { fold } from './fold.ts'

const longestCompared = 60
const mostCompared = 500

/** Up to `count` of the names, the most alike first: contained in one another, then by edits. */
export function nearestNames (wanted: string, names: readonly string[], count: number): string[] {
  const target = fold(wanted).slice(0, longestCompared)
  return [...new Set(names)]
    .slice(0, mostCompared)
    .map((name) => ({ name, distance: distanceTo(target, fold(name).slice(0, longestCompared)) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name)
}

function distanceTo (target: string, name: string): number {
  const isPart = target !== '' && name !== '' && (name.includes(target) || target.includes(name))
  return isPart ? 0 : editDistance(target, name) / Math.max(target.length, name.length, 1)
}
