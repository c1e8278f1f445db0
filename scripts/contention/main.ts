/**
 * `npm run contention`: many clients, few phones. Says how fairly they waited, whether two ever
 * had one phone at once, how soon a clean phone was in the next hands, and what made the server
 * stall. Fairness and overlaps decide the exit code; times are told and depend on the machine.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seededRandom, type SeededRandom } from '../../src/devices/virtual/seeded-random.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { announcedPort, ask, startProgram } from '../support/child-processes.ts'
import { gatewayClient, keepAliveAgent, member, type GatewayAddress } from '../support/gateway-client.ts'
import { pause } from '../support/pause.ts'
import { jainIndex, overlaps, type Turn } from './fairness.ts'
import type { GatewayOrder, GatewayReport } from './gateway.ts'
import { reportLines, type Wait } from './report.ts'
import { nothing } from './trivial-tool.ts'

const usage = `npm run contention -- [options]

  --clients <count>    clients at a time (200)
  --phones <count>     phones they share (10)
  --seconds <count>    for how long (20)
  --seed <number>      what chance begins with; a run prints its own
`

const { values: flags } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    phones: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})

/** How long clients keep a phone, and how many of a hundred keep it so long. */
const lengths = [{ holdMs: 20, share: 40 }, { holdMs: 60, share: 30 }, { holdMs: 150, share: 20 }, { holdMs: 400, share: 10 }] as const
/** One client in so many asks in the low band. */
const everyLow = 5
/** So that the low band takes part at all: in a pool that is always full, only age lets it. */
const ageMs = 1_000
const probeEveryMs = 50
const loadNiceness = 10
const program = fileURLToPath(new URL(`gateway${extname(import.meta.url)}`, import.meta.url))

async function main (): Promise<void> {
  const [clients, phones, seconds] = [Number(flags.clients), Number(flags.phones), Number(flags.seconds)]
  const seed = flags.seed === undefined ? randomIds.bytes(4).readUInt32BE() : Number(flags.seed)
  if (![clients, phones, seconds, seed].every(Number.isSafeInteger)) throw new Error(usage)
  console.log(`seed ${seed}: ${clients} clients share ${phones} phones for ${seconds} s`)

  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-contention-'))
  const gateway = startProgram(program, [
    '--state-dir', stateDir, '--devices-virtual-android', String(phones), '--devices-virtual-ios', '0', '--max-requests-in-flight', '4096',
    '--leases-age-ms', String(ageMs)
  ], { cwd: stateDir, ipc: true })
  try {
    const address = { port: await announcedPort(gateway), token: (await readFile(join(stateDir, 'token'), 'utf8')).trim() }
    // The load must not take the core from what it measures.
    setPriority(loadNiceness)
    const { waits, turns, trivialMs } = await contend(address, {
      clients, seconds, seed, onWarm: () => { ask(gateway, 'warm' satisfies GatewayOrder).catch(() => {}) }
    })
    const { loop, handovers } = await ask(gateway, 'report' satisfies GatewayOrder) as GatewayReport
    const clashes = overlaps(turns)
    const bands = (['normal', 'low'] as const)
      .map((band) => ({ band, waitsMs: waits.filter((wait) => wait.band === band).map(({ waitedMs }) => waitedMs) }))
      .filter(({ waitsMs }) => waitsMs.length > 0)
      .map((one) => ({ ...one, jain: jainIndex(one.waitsMs) }))
    const isFair = bands.length > 0 && bands.every(({ jain }) => jain >= 0.95)
    console.log(reportLines({ bands, turns: turns.length, clashes, handovers, trivialMs, loop }))
    console.log(isFair && clashes.length === 0 ? 'fair, and no two holders met' : 'FAILED')
    process.exitCode = isFair && clashes.length === 0 ? 0 : 1
  } finally {
    await gateway.kill()
    await rm(stateDir, { recursive: true, force: true })
  }
}

interface Contention {
  /** Of clients that had come in turn once already: how the queue fills says nothing about it. */
  readonly waits: readonly Wait[]
  readonly turns: readonly Turn[]
  readonly trivialMs: readonly number[]
}

async function contend (address: GatewayAddress, { clients, seconds, seed, onWarm }: {
  readonly clients: number
  readonly seconds: number
  readonly seed: number
  /** Told when every client has had a turn. */
  readonly onWarm: () => void
}): Promise<Contention> {
  const agent = keepAliveAgent()
  const waits: Wait[] = []
  const turns: Turn[] = []
  const trivialMs: number[] = []
  let toCome = clients
  const time = new AbortController()
  const { signal } = time

  async function takeTurns (index: number): Promise<void> {
    const random = seededRandom(seed + index)
    const name = `client-${index}`
    const band = index % everyLow === everyLow - 1 ? 'low' : 'normal'
    const client = gatewayClient(address, name, agent)
    for (let turn = 0; !signal.aborted; turn++) {
      const askedMs = performance.now()
      const granted = await client.call('acquireDevice', { purpose: name, priority: band, waitMs: 240_000 })
      const fromMs = performance.now()
      if (!granted.ok) throw new Error(`${name} was refused a device: ${granted.code}`)
      // While the queue empties at the end, no client waits as long as all of them did before.
      if (turn > 0 && !signal.aborted) waits.push({ band, waitedMs: fromMs - askedMs })
      const { lease, device, fence } = granted.facts
      const tapped = await client.call('tapOn', { lease, target: { x: 500, y: 1_200 }, observe: 'none' })
      if (!tapped.ok) throw new Error(`${name} could not tap: ${tapped.code}`)
      await pause(lengthOf(random))
      turns.push({ device: String(member(device, 'id')), client: name, fence: Number(fence), fromMs, untilMs: performance.now() })
      const released = await client.call('releaseDevice', { lease })
      if (!released.ok) throw new Error(`${name} could not release: ${released.code}`)
      if (turn === 0 && --toCome === 0) onWarm()
    }
  }

  async function probe (): Promise<void> {
    const client = gatewayClient(address, 'another caller', agent)
    while (!signal.aborted) {
      const askedMs = performance.now()
      await client.call(nothing.name, {})
      trivialMs.push(performance.now() - askedMs)
      await pause(probeEveryMs)
    }
  }

  systemScheduler.after(seconds * 1_000, () => time.abort())
  await Promise.all([probe(), ...Array.from({ length: clients }, async (_, index) => await takeTurns(index))])
  agent.destroy()
  return { waits, turns, trivialMs }
}

function lengthOf (random: SeededRandom): number {
  let chance = random() * 100
  for (const { holdMs, share } of lengths) {
    if (chance < share) return holdMs
    chance -= share
  }
  return lengths[0].holdMs
}

if (flags.help) console.log(usage)
else await main()
