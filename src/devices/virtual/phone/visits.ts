import { topOf } from './app-scope.ts'
import { frontApp, type PhoneCore } from './phone-core.ts'

/**
 * Numbers each entering of a screen and each opening of a dialog, so that two that look alike
 * are known apart. The phone makes an object for each; the number is that object's.
 */
export function createVisits (): (core: PhoneCore) => string {
  const numbers = new WeakMap<object, number>()
  let newest = 0

  function numberOf (opened: object): number {
    const known = numbers.get(opened)
    if (known !== undefined) return known
    newest += 1
    numbers.set(opened, newest)
    return newest
  }

  return (core) => {
    const { awake, locked, systemDialog } = core.state
    const front = frontApp(core)
    const entry = awake && !locked && front !== undefined ? topOf(front.process) : undefined
    const opened = [entry, entry?.dialog, systemDialog].filter((object) => object !== undefined)
    return opened.length === 0 ? 'system' : opened.map(numberOf).join('.')
  }
}
