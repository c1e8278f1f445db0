/** Prints the rooms, what each imports from, and the circles among files. */
import { arrowsBetweenRooms, circlesOf, readImports } from './import-graph.ts'

const graph = readImports()
const arrows = arrowsBetweenRooms(graph)
const circles = circlesOf(graph)

for (const [room, others] of arrows) console.log(`${room} -> ${others.join(', ') || 'nothing'}`)
const arrowCount = [...arrows.values()].reduce((sum, { length }) => sum + length, 0)
console.log(`${graph.size} files, ${arrows.size} rooms, ${arrowCount} arrows between rooms, ${circles.length} circles of files`)
for (const circle of circles) console.log(`circle: ${circle.join(' ')}`)
