import type { Point } from '../device-types.ts'
import type { Screen, ScreenElement } from './screen.ts'

// Shares of width and height, in the order they are tried.
const spots = [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.1], [0.9, 0.9]] as const

/**
 * Where to touch an element: its middle, or another spot when the middle belongs to something
 * on top of it that can be tapped, like the switch in a row or a button over a card.
 */
export function tapPoint (screen: Screen, element: ScreenElement): Point {
  const { x, y, width, height } = element.rect
  const above = screen.elements
    .slice(screen.elements.indexOf(element) + 1)
    .filter((other) => other.visible && (other.clickable || other.longClickable))
  const points = spots.map(([across, down]) => ({ x: Math.floor(x + width * across), y: Math.floor(y + height * down) }))
  return points.find((point) => !above.some(({ rect }) => contains(rect, point))) ?? points[0]!
}

function contains (rect: ScreenElement['rect'], { x, y }: Point): boolean {
  return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height
}
