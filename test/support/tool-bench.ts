import { createScreenMemory, type ScreenMemory } from '../../src/devices/screen/screen-memory.ts'
import { fixedDevices } from '../../src/devices/device-source.ts'
import { createLeaseManager } from '../../src/leases/create-lease-manager.ts'
import type { LeaseManager } from '../../src/leases/contract/lease-manager.ts'
import { leaseSettings, type LeaseSettings } from '../../src/leases/contract/lease-settings.ts'
import type { Principal } from '../../src/protocol/principal.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { Scheduler } from '../../src/runtime/scheduler.ts'
import { createDeviceTools } from '../../src/tools/device-tools.ts'
import { createDeviceUses, type DeviceUses, type UseRequest } from '../../src/tools/device-use.ts'
import type { Aside, ToolCall, ToolDefinition, ToolOutput } from '../../src/tools/tool-definition.ts'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { UiNode } from '../../src/devices/device-types.ts'
import { scriptedCaller } from './asking.ts'
import { hastyTime } from './hasty-time.ts'
import { manualTime } from './manual-time.ts'
import { memoryChangeLedger } from './memory-change-ledger.ts'
import { memoryLeaseStore } from './memory-lease-store.ts'
import { scriptedPhone, type ScriptedPhone } from './scripted-driver.ts'
import { sequenceIds } from './sequence-ids.ts'

export const alice = principal('alice')
export const bob = principal('bob')

export interface Bench {
  readonly tools: readonly ToolDefinition[]
  readonly leases: LeaseManager
  readonly screens: ScreenMemory
  readonly deviceUses: DeviceUses<UseRequest>
  /** The leases whose screen was told to have changed, each time it was. */
  readonly screenChanges: string[]
  /** Moves the time of the leases; that of the tools is their own. */
  advance (ms: number): void
  /** Calls a tool as `tools/call` would, by default as Alice. */
  call (name: string, args?: Record<string, unknown>, call?: Partial<ToolCall>): Promise<Answer>
  /** Acquires a phone for Alice. */
  acquire (): Promise<string>
}

export interface Answer extends ToolOutput {
  /** The first text block. */
  readonly text: string
  /** What the call did that it was not called for. */
  readonly aside: Aside | undefined
  readonly structuredContent: any
}

interface ToolTime {
  readonly clock: Clock
  readonly scheduler: Scheduler
}

/** The device tools over the real lease manager and phones that do what the test says. */
export async function toolBench ({ phones = [scriptedPhone()], shows, time = hastyTime(), settings }: {
  readonly phones?: readonly ScriptedPhone[]
  /** What the first phone shows. */
  readonly shows?: UiNode
  /** The time of the tools. */
  readonly time?: ToolTime
  /** How leases last, where it is not as usual. */
  readonly settings?: Partial<LeaseSettings>
} = {}): Promise<Bench & { readonly phone: ScriptedPhone }> {
  const [phone] = phones
  if (phone === undefined) throw new Error('a bench needs a phone')
  if (shows !== undefined) phone.show(shows)
  return { ...await benchOver(phones, time, settings), phone }
}

/** The device tools over the real lease manager and any phones. */
export async function benchOver (drivers: readonly DeviceDriver[], time: ToolTime, settings: Partial<LeaseSettings> = {}): Promise<Bench> {
  const leaseTime = manualTime(1_000_000)
  const store = memoryLeaseStore()
  const leases = createLeaseManager({
    store,
    ledger: memoryChangeLedger(store),
    sources: [fixedDevices(drivers)],
    clock: leaseTime.clock,
    scheduler: leaseTime.scheduler,
    ids: sequenceIds(),
    settings: leaseSettings.parse(settings),
    log: { info () {}, warn () {}, error () {} }
  })
  await leases.start()
  const screens = createScreenMemory()
  const screenChanges: string[] = []
  const deviceUses = createDeviceUses({ leases, screens, clock: time.clock, onScreenChange: ({ handle }) => { screenChanges.push(handle) } })
  const tools = createDeviceTools({ leases, screens, deviceUses, ...time })

  const silentNotes = { noteDevice: () => {}, noteWait: () => {} }

  async function call (name: string, args: Record<string, unknown> = {}, { principal = alice, sessionKey, signal = new AbortController().signal, progress = () => {}, log = () => {}, ...asking }: Partial<ToolCall> = {}): Promise<Answer> {
    const tool = tools.find((candidate) => candidate.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    let aside: Aside | undefined
    const addAside = (added: Aside): void => { aside = added }
    const output = await tool.run(tool.input.parse(args), { principal, sessionKey, signal, progress, log, addAside, ...silentNotes, ...scriptedCaller(), ...asking })
    const [first] = output.content
    return { ...output, aside, text: first?.type === 'text' ? first.text : '' }
  }

  return {
    tools,
    leases,
    screens,
    deviceUses,
    screenChanges,
    advance: leaseTime.advance,
    call,
    acquire: async () => String((await call('acquireDevice')).structuredContent.lease)
  }
}

function principal (subject: string): Principal {
  return { issuer: 'mooring', subject, key: `mooring\0${subject}` }
}
