import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { AppInfo, Command, DeviceDescription, Observation, UiNode } from '../../src/devices/device-types.ts'
import { AppNotInstalledRefusal, LinkNotHandledRefusal } from '../../src/devices/device-refusals.ts'
import { CancelledRefusal } from '../../src/refusals/cancellation.ts'
import { plainState, plainStateCommands, type PlainState } from './state-commands.ts'
import { look } from './ui-node.ts'

type Operation = Exclude<keyof DeviceDriver, 'description' | 'bootId' | 'homeApps' | 'close'>

/** A phone that shows what the test says, and does what the test says when it is told something. */
export interface ScriptedPhone extends DeviceDriver {
  /** What it was told to do besides looking, in order: `tap 540,50`, `type "Ann"`. */
  readonly did: readonly string[]
  /** Fences of the commands it was given, without repetition. */
  readonly fences: ReadonlySet<number>
  /** How many times it was looked at. */
  readonly looks: number
  /** What it is like besides its screen. */
  readonly state: PlainState
  /** Shows this from now on. */
  show (root: UiNode, facts?: Partial<Observation>): void
  /** Reacts to every command of that name, before the command is over. */
  on (operation: Operation, react: (did: string, command: Command) => void | Promise<void>): void
}

export function scriptedPhone (description: Partial<DeviceDescription> = {}, apps: readonly AppInfo[] = []): ScriptedPhone {
  const did: string[] = []
  const fences = new Set<number>()
  const reactions = new Map<Operation, (did: string, command: Command) => void | Promise<void>>()
  let looks = 0
  let screen: Observation | undefined

  async function perform (operation: Operation, what: string, command: Command): Promise<void> {
    if (command.signal.aborted) throw new CancelledRefusal()
    fences.add(command.fence)
    if (what !== '') did.push(what)
    await reactions.get(operation)?.(what, command)
  }

  function ensureInstalled (appId: string): void {
    if (!apps.some(({ id }) => id === appId)) throw new AppNotInstalledRefusal(appId, apps.map(({ id }) => id))
  }

  const state = plainState()
  return {
    ...plainStateCommands(state, perform),
    state,
    description: {
      id: 'phone-1', name: 'Phone one', platform: 'android', kind: 'virtual', model: 'Pixel 9', osVersion: '15', labels: [], ...description
    },
    did,
    fences,
    get looks () { return looks },
    show (root, facts) { screen = look(root, facts) },
    on (operation, react) { reactions.set(operation, react) },

    bootId: async () => 'boot-1',
    homeApps: async () => [],
    async observe (command) {
      looks += 1
      await perform('observe', '', command)
      if (screen === undefined) throw new Error('the test has not said what the phone shows')
      return screen
    },
    async screenshot ({ width }, command) {
      await perform('screenshot', `screenshot ${width}`, command)
      return { png: Buffer.from('png'), width, height: width * 2 }
    },
    tap: ({ x, y }, { count, holdMs }, command) => {
      return perform('tap', `tap ${x},${y}${count === 1 ? '' : ` x${count}`}${holdMs === 0 ? '' : ` for ${holdMs}`}`, command)
    },
    swipe: (from, to, { durationMs }, command) => perform('swipe', `swipe ${from.x},${from.y} ${to.x},${to.y} in ${durationMs}`, command),
    typeText: (text, command) => perform('typeText', `type ${JSON.stringify(text)}`, command),
    clearText: (command) => perform('clearText', 'clear', command),
    pressKey: (key, { count, long }, command) => perform('pressKey', `press ${key} x${count}${long ? ' long' : ''}`, command),
    async listApps (command) {
      await perform('listApps', '', command)
      return apps
    },
    async launchApp (appId, { clearData, restart }, command) {
      ensureInstalled(appId)
      await perform('launchApp', `launch ${appId}${restart ? ' again' : ''}${clearData ? ' empty' : ''}`, command)
    },
    async terminateApp (appId, command) {
      ensureInstalled(appId)
      await perform('terminateApp', `stop ${appId}`, command)
    },
    async openLink (url, { appId }, command) {
      if (!url.startsWith('shop:')) throw new LinkNotHandledRefusal(url)
      await perform('openLink', `open ${url}${appId === undefined ? '' : ` in ${appId}`}`, command)
    },
    async restoreHome (command) {
      await perform('restoreHome', 'restore', command)
      return ['went to the home screen']
    },
    async close () {}
  }
}
