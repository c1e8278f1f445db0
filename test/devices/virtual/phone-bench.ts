import type { DeviceDriver } from '../../../src/devices/device-driver.ts'
import type { Command, Observation, Platform, Point, Rect, UiNode } from '../../../src/devices/device-types.ts'
import type { AppDefinition } from '../../../src/devices/virtual/apps/app-definition.ts'
import { loadApps, sampleAppsFolder } from '../../../src/devices/virtual/apps/load-apps.ts'
import { randomIds } from '../../../src/runtime/ids.ts'
import { createExchange, type Exchange } from '../../../src/devices/virtual/exchange.ts'
import { createFaults, faultSettings } from '../../../src/devices/virtual/faults.ts'
import { androidProfile, iosProfile } from '../../../src/devices/virtual/phone/phone-profile.ts'
import { createVirtualPhone, type VirtualPhone } from '../../../src/devices/virtual/phone/virtual-phone.ts'
import { seededRandom } from '../../../src/devices/virtual/seeded-random.ts'
import { createVirtualDriver } from '../../../src/devices/virtual/virtual-driver.ts'
import type { z } from 'zod'
import { manualTime } from '../../support/manual-time.ts'

export const sampleApps = loadApps([sampleAppsFolder])

export interface PhoneBench {
  readonly time: ReturnType<typeof manualTime>
  readonly phone: VirtualPhone
  readonly driver: DeviceDriver
  observe (): Promise<Observation>
  /** Names and texts of everything that can be seen, in order. */
  texts (): Promise<readonly string[]>
  /** The element with that id, text or description; fails when it cannot be seen. */
  find (what: string): Promise<UiNode>
  isShown (what: string): Promise<boolean>
  tapOn (what: string, options?: { readonly holdMs?: number }): Promise<void>
  type (text: string): Promise<void>
  press (key: Parameters<DeviceDriver['pressKey']>[0]): Promise<void>
  launch (app: string): Promise<void>
  /** One swipe up or down over the middle of the screen. */
  swipe (direction: 'up' | 'down', share?: number): Promise<void>
}

export interface BenchOptions {
  readonly platform?: Platform
  readonly apps?: readonly AppDefinition[]
  readonly acceptsDefinitions?: boolean
  readonly faults?: z.input<typeof faultSettings>
  readonly time?: ReturnType<typeof manualTime>
  /** Shared by phones that are to reach each other. */
  readonly exchange?: Exchange
}

export const command: Command = { fence: 1, signal: new AbortController().signal }
export const asItWas = { clearData: false, restart: false }

/** A phone with the sample apps, its driver, and what a person would do with them. */
export function phoneBench (options: BenchOptions = {}): PhoneBench {
  const time = options.time ?? manualTime(Date.UTC(2026, 0, 1, 9, 41))
  const settings = faultSettings.parse(options.faults ?? {})
  let boots = 0
  const phone = createVirtualPhone({
    profile: options.platform === 'ios' ? iosProfile : androidProfile,
    apps: options.apps ?? sampleApps,
    clock: time.clock,
    ids: {
      bytes (size) {
        boots += 1
        return Buffer.alloc(size, boots)
      }
    },
    exchange: options.exchange ?? createExchange(randomIds)
  })
  const driver = createVirtualDriver({
    id: 'virtual-1',
    name: 'Virtual 1',
    phone,
    apps: options.apps ?? sampleApps,
    acceptsDefinitions: options.acceptsDefinitions ?? true,
    faults: createFaults({ settings, random: seededRandom(settings.seed), clock: time.clock }),
    clock: time.clock,
    scheduler: time.scheduler
  })

  async function find (what: string): Promise<UiNode> {
    const found = await lookFor(what)
    if (found === undefined) throw new Error(`${what} is not on the screen: ${(await bench.texts()).map((text) => text.slice(0, 30)).join(' | ')}`)
    return found
  }

  async function lookFor (what: string): Promise<UiNode | undefined> {
    const nodes = allNodes((await driver.observe(command)).root).filter(({ rect }) => rect.width > 0)
    return nodes.find(({ id }) => id === what) ??
      nodes.find(({ text, description }) => text === what || description === what)
  }

  const bench: PhoneBench = {
    time,
    phone,
    driver,
    find,
    observe: () => driver.observe(command),
    async texts () {
      const nodes = allNodes((await driver.observe(command)).root).filter(({ rect }) => rect.width > 0)
      return nodes.flatMap(({ text, description }) => text ?? description ?? [])
    },
    async isShown (what) {
      return await lookFor(what) !== undefined
    },
    async tapOn (what, { holdMs = 0 } = {}) {
      await driver.tap(middleOf((await find(what)).rect), { count: 1, holdMs }, command)
    },
    type: (text) => driver.typeText(text, command),
    press: (key) => driver.pressKey(key, { count: 1, long: false }, command),
    launch: (app) => driver.launchApp(`com.example.${app}`, asItWas, command),
    async swipe (direction, share = 0.5) {
      const { size } = await driver.observe(command)
      const [x, middle, way] = [size.width / 2, size.height / 2, direction === 'up' ? 1 : -1]
      const reach = size.height * share / 2
      await driver.swipe({ x, y: middle + way * reach }, { x, y: middle - way * reach }, { durationMs: 300 }, command)
    }
  }
  return bench
}

export function allNodes (node: UiNode): UiNode[] {
  return [node, ...node.children.flatMap(allNodes)]
}

export function middleOf ({ x, y, width, height }: Rect): Point {
  return { x: x + width / 2, y: y + height / 2 }
}

/** Signs in to the notes app with the account that its first screen names. */
export async function signIn (bench: PhoneBench): Promise<void> {
  await bench.launch('fieldnotes')
  await bench.tapOn('email')
  await bench.type('ada@example.com\n')
  await bench.type('lovelace\n')
}
