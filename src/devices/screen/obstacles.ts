import type { ScreenHead } from './screen.ts'

/** What keeps a phone from showing its apps, each as a sentence that says what to do about it. */
export function obstaclesOf ({ locked, displayOff }: Pick<ScreenHead, 'locked' | 'displayOff'>): readonly string[] {
  if (displayOff) return ['The display is off: press power.']
  return locked ? ['The phone is locked: swipeOn from {"x":0.5,"y":0.8,"unit":"ratio"} to {"x":0.5,"y":0.2,"unit":"ratio"} unlocks it.'] : []
}
