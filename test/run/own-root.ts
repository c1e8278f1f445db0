import t, { type Test } from 'tap'

/** What a test file asks of tap's root: all else it asks of its own tests. */
const asked = [
  'test', 'skip', 'todo', 'before', 'beforeEach', 'after', 'afterEach', 'teardown', 'setTimeout', 'comment', 'testdir',
  'pass', 'fail', 'ok', 'notOk', 'equal', 'not', 'same', 'strictSame', 'match'
] as const satisfies ReadonlyArray<keyof Test>

/**
 * Gives the test files that run from now on a root of their own.
 *
 * `import t from 'tap'` is one object for a whole process. What a file says to it belongs to
 * that file alone: its hooks, its time limit, its teardown, its results.
 */
export function rootFor (file: Test): void {
  for (const name of asked) {
    const method: (...args: never) => unknown = file[name]
    // A function around it would be the place in which tap sees each test begin.
    Object.defineProperty(t, name, { configurable: true, value: method.bind(file) })
  }
}

/** Gives the process its root back. */
export function rootAgain (): void {
  for (const name of asked) Reflect.deleteProperty(t, name)
}
