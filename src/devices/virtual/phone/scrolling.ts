import type { ScrollFacts } from '../screen/box.ts'
import { reachableBoxes } from '../screen/composed-screen.ts'
import type { PhoneCore } from './phone-core.ts'

/** Moves what a box shows, as far as its content goes. */
export function scrollBy (core: PhoneCore, key: string, scroll: ScrollFacts, by: number): void {
  const offset = Math.max(0, Math.min(Math.round(scroll.offset + by), scroll.furthest))
  if (offset === scroll.offset) return
  scroll.offsets.set(key, offset)
  core.changed()
}

/** Moves the main part of the screen by a share of its height, as arrow keys do. */
export function scrollByKey (core: PhoneCore, share: number): void {
  const scroller = reachableBoxes(core.screen()).find(({ scroll }) => scroll !== undefined && scroll.furthest > 0)
  if (scroller?.scroll !== undefined) scrollBy(core, scroller.key, scroller.scroll, scroller.rect.height * share)
}
