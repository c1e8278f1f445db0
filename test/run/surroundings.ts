import { pause } from '../../scripts/support/pause.ts'

/** What test files of one process share, whether they want to or not. */
export interface Surroundings {
  readonly folder: string
  readonly umask: number
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly globals: ReadonlyMap<string, unknown>
  readonly listeners: ReadonlyMap<string, number>
  /** What keeps the process running, by sort: servers, sockets, timers, child processes, … */
  readonly running: ReadonlyMap<string, number>
}

/** Each is a function of its object that a test could replace. */
const replaceable: ReadonlyArray<readonly [string, object]> = [
  ['Date', Date], ['Math', Math], ['performance', performance], ['console', console], ['process.stdout', process.stdout], ['process.stderr', process.stderr], ['process', process]
]

/** Node.js adds some of these itself as they are needed, and the last one runs when no test does any more. */
const harmlessListeners = new Set<string | symbol>(['newListener', 'removeListener', 'exit'])

/** Stands for a global that Node.js loads when it is first asked for. */
const notLoaded = Symbol('not loaded')

export function surroundings (): Surroundings {
  return {
    folder: process.cwd(),
    umask: process.umask(),
    environment: { ...process.env },
    globals: globalsNow(),
    listeners: new Map(process.eventNames().filter((name) => !harmlessListeners.has(name)).map((name) => [String(name), process.listenerCount(name)])),
    running: countedBy(process.getActiveResourcesInfo())
  }
}

/**
 * What is not as it was, in words. What still runs is given time to end, since a socket takes
 * some turns of the event loop to close.
 */
export async function leftBehind (before: Surroundings, patienceMs: number): Promise<readonly string[]> {
  const giveUpAtMs = performance.now() + patienceMs
  let running = stillRunning()
  for (; running.length > 0 && performance.now() < giveUpAtMs; running = stillRunning()) await pause(5)
  const now = surroundings()

  // Asked again right away, it could be another: collecting garbage starts immediates of Node.js's own.
  function stillRunning (): readonly string[] {
    return more(before.running, countedBy(process.getActiveResourcesInfo()))
  }

  return [
    ...(now.folder === before.folder ? [] : [`the folder is now ${now.folder}`]),
    ...(now.umask === before.umask ? [] : [`the umask is now ${now.umask.toString(8)}`]),
    ...[...new Set([...Object.keys(before.environment), ...Object.keys(now.environment)])]
      .filter((name) => before.environment[name] !== now.environment[name])
      .map((name) => `the environment variable ${name} is ${now.environment[name] === undefined ? 'gone' : 'another'}`),
    ...[...now.globals].filter(([name, value]) => before.globals.get(name) !== notLoaded && !Object.is(before.globals.get(name), value)).map(([name]) => `${name} is another`),
    ...more(before.listeners, now.listeners).map((name) => `process listens for ${name}`),
    ...running.map((name) => `${name} still runs`)
  ]
}

function globalsNow (): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) found.set(name, get === undefined ? value : notLoaded)
  for (const [owner, object] of replaceable) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(object))) if (typeof value === 'function') found.set(`${owner}.${name}`, value)
  }
  return found
}

function countedBy (names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function more (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): readonly string[] {
  return [...now].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name)
}
