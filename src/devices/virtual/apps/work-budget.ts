/**
 * How much work the text of an app may cause at once: one touch, key or link with what it sets
 * off, one catching up with timers, one layout of a screen. Expressions, lists, stored values and
 * texts on the screen all draw on it; when it is spent, expressions are nothing and no more
 * actions run. So no app file, however made, holds up the process for longer than that.
 *
 * The work of a phone is synchronous, and so is this: the budget in force is that of the
 * innermost `withBudget` under way. What that used is charged to the one around it.
 */

/** About one character read, or the tenth of a step of an expression. Three million take some 50 ms. */
export const mostWork = 3_000_000

let left = Number.POSITIVE_INFINITY

/** Does the work with a budget of its own, at most what is given. */
export function withBudget<Result> (work: () => Result, limit = mostWork): Result {
  const outer = left
  left = limit
  try {
    return work()
  } finally {
    left = outer - (limit - left)
  }
}

/** Takes from the budget. @returns whether there was as much */
export function spend (cost: number): boolean {
  left -= cost
  return left > 0
}

export function isSpent (): boolean {
  return left <= 0
}
