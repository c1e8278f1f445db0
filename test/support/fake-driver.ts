import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { Command, DeviceDescription } from '../../src/devices/device-types.ts'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { CancelledRefusal } from '../../src/refusals/cancellation.ts'
import { plainState, plainStateCommands, type PlainState } from './state-commands.ts'

/** A command that has been stopped half way. */
export interface Hold {
  /** Resolves when the command has begun. */
  readonly begun: Promise<void>
  /** Lets it come to its end. */
  finish (): void
}

/** A phone without a screen: it records what it is told and does what the test says. */
export interface FakeDriver extends DeviceDriver {
  /** What it obeyed, in order. */
  readonly obeyed: readonly { readonly operation: string, readonly fence: number }[]
  /** The most commands it ever had under way at once. */
  readonly mostAtOnce: number
  /** What it is like besides its screen. */
  readonly state: PlainState
  /** Names its boot; undefined while it is offline. */
  boot: string | undefined
  /** How many of the next cleanups fail. */
  failingCleanups: number
  /** Stops the next command of that name half way. A deaf one does not notice an abort. */
  hold (operation: string, options?: { readonly deaf: boolean }): Hold
}

export function fakeDriver (description: Partial<DeviceDescription> = {}): FakeDriver {
  const obeyed: { operation: string, fence: number }[] = []
  const holds = new Map<string, (signal: AbortSignal) => Promise<void>>()
  let underWay = 0
  let mostAtOnce = 0

  async function perform<T> (operation: string, { fence, signal }: Command, result: T): Promise<T> {
    obeyed.push({ operation, fence })
    mostAtOnce = Math.max(mostAtOnce, ++underWay)
    try {
      await heldUp(operation, signal)
      return result
    } finally {
      underWay--
    }
  }

  async function heldUp (operation: string, signal: AbortSignal) {
    const held = holds.get(operation)
    holds.delete(operation)
    await held?.(signal)
  }

  const state = plainState()
  const driver: FakeDriver = {
    ...plainStateCommands(state, (operation, what, command) => perform(operation, command, undefined)),
    state,
    description: {
      id: 'phone-1', name: 'Phone', platform: 'android', kind: 'virtual', model: 'Pixel 9', osVersion: '15', labels: [], ...description
    },
    obeyed,
    get mostAtOnce () { return mostAtOnce },
    boot: 'boot-1',
    failingCleanups: 0,

    hold (operation, { deaf } = { deaf: false }) {
      let begin = () => {}
      let finish = () => {}
      const begun = new Promise<void>((resolve) => { begin = resolve })
      const finished = new Promise<void>((resolve) => { finish = resolve })
      holds.set(operation, async (signal) => {
        begin()
        if (deaf) return await finished
        await Promise.race([
          finished,
          new Promise<void>((resolve, reject) => signal.addEventListener('abort', () => reject(new CancelledRefusal())))
        ])
      })
      return { begun, finish }
    },

    homeApps: async () => [],
    async bootId (signal) {
      await heldUp('bootId', signal)
      if (driver.boot === undefined) throw new DeviceOfflineRefusal(driver.description.id, { retryAfterMs: 1_000 })
      return driver.boot
    },

    async restoreHome (command) {
      const cleaned = await perform('restoreHome', command, ['apps stopped'])
      if (driver.failingCleanups > 0) {
        driver.failingCleanups--
        throw new Error('the screen stayed black')
      }
      return cleaned
    },

    observe: (command) => perform('observe', command, {
      capturedAtMs: 0,
      app: null,
      size: { width: 100, height: 200 },
      orientation: 'portrait',
      keyboardShown: false,
      locked: false,
      root: {
        role: 'group',
        rect: { x: 0, y: 0, width: 100, height: 200 },
        clickable: false,
        longClickable: false,
        scrollable: false,
        selected: false,
        enabled: true,
        focused: false,
        password: false,
        children: []
      },
      warnings: []
    }),
    screenshot: ({ width }, command) => perform('screenshot', command, { png: Buffer.alloc(0), width, height: width * 2 }),
    tap: (target, options, command) => perform('tap', command, undefined),
    swipe: (from, to, options, command) => perform('swipe', command, undefined),
    typeText: (text, command) => perform('typeText', command, undefined),
    clearText: (command) => perform('clearText', command, undefined),
    pressKey: (key, options, command) => perform('pressKey', command, undefined),
    listApps: (command) => perform('listApps', command, []),
    launchApp: (appId, options, command) => perform('launchApp', command, undefined),
    terminateApp: (appId, command) => perform('terminateApp', command, undefined),
    openLink: (url, options, command) => perform('openLink', command, undefined),
    close: async () => {}
  }
  return driver
}

/** Phones `phone-1` to `phone-<size>`. */
export function fakePool (size: number): readonly FakeDriver[] {
  return Array.from({ length: size }, (_, i) => fakeDriver({ id: `phone-${i + 1}` }))
}
