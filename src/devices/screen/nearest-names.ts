import { editDistance } from '../../refusals/edit-distance.ts'
import { fold } from './fold.ts'
import { areOpposite } from './opposites.ts'

const longestCompared = 60
// Folding makes a text shorter by invisible characters only, mostly.
const longestFolded = 4 * longestCompared
const mostCompared = 500

/**
 * Up to `count` of the names, the most alike first: contained in one another, then by edits.
 * A name that says the opposite comes last, and never alone: it would be taken for the answer.
 */
export function nearestNames (wanted: string, names: readonly string[], count: number): string[] {
  const target = fold(wanted).slice(0, longestCompared)
  const ranked = [...new Set(names)]
    .slice(0, mostCompared)
    .map((name) => ({
      name,
      distance: distanceTo(target, fold(name.slice(0, longestFolded)).slice(0, longestCompared)),
      isOpposite: areOpposite(wanted.slice(0, longestCompared), name.slice(0, longestCompared))
    }))
    .sort((a, b) => Number(a.isOpposite) - Number(b.isOpposite) || a.distance - b.distance)
  return ranked[0]?.isOpposite === true ? [] : ranked.slice(0, count).map(({ name }) => name)
}

function distanceTo (target: string, name: string): number {
  const isPart = target !== '' && name !== '' && (name.includes(target) || target.includes(name))
  return isPart ? 0 : editDistance(target, name) / Math.max(target.length, name.length, 1)
}
