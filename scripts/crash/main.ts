/**
 * `npm run crash`: kills a loaded gateway again and again, and holds it to what it had promised.
 *
 * Each round loads a gateway with many clients that acquire, act, renew, beat and release, some
 * of them while they still act, and with an operator who revokes leases in use. It kills the
 * gateway with SIGKILL at a random moment, starts another one over the same state directory
 * (which now and then is killed while it starts), and asks that one about every lease that a
 * client had been told of. There are two sorts of rounds. Phones that live outside of the
 * gateway are still there afterwards, so leases have to go on, and the phones' own log has to
 * show that no two holders' actions ever met. The virtual phones of the `mooring` command end
 * with it, so leases end too, with `device_restarted`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom, type SeededRandom } from '../../src/devices/virtual/seeded-random.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { storeKinds } from '../../src/store/store.ts'
import { keepAliveAgent } from '../support/gateway-client.ts'
import { pause } from '../support/pause.ts'
import { createTestDatabase } from '../support/postgres-database.ts'
import { commandBench, remotePhonesBench, type Bench, type RunningGateway } from './benches.ts'
import { checkAfterRestart, type Findings } from './check-after-restart.ts'
import { createKnownLeases } from './known-leases.ts'
import { clientShownBy, createLoadClient, firstFreeColumn } from './load-client.ts'
import { createPhoneLogCheck } from './phone-log.ts'
import { revokeNowAndThen } from './revoking-operator.ts'

const usage = `npm run crash -- [options]

  --rounds <count>     how often a gateway is killed under load (50)
  --clients <count>    clients at a time, ${firstFreeColumn} at most (50)
  --phones <count>     phones they share (10)
  --store <kind>       sqlite or postgres: where leases are kept (sqlite)
  --only <sort>        outside: phones that outlive the gateway; inside: virtual ones of its own
  --seed <number>      what chance begins with; a run prints its own
`

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    clients: { type: 'string', default: '50' },
    phones: { type: 'string', default: '10' },
    store: { type: 'string', default: 'sqlite' },
    only: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})

/** The gateway is killed at most so long after a client has a lease; until then there is little to lose. */
const longestLoadMs = 1_500
/** A gateway that is killed while it starts is killed within this time. */
const longestStartMs = 700
const killsWhileStarting = 0.2

function isStoreKind (kind: string): boolean {
  return storeKinds.some((known) => known === kind)
}

type Sort = 'outside' | 'inside'

interface Run {
  readonly clients: number
  readonly phones: number
  readonly random: SeededRandom
}

async function main (): Promise<void> {
  const [rounds, clients, phones] = [Number(flags.rounds), Number(flags.clients), Number(flags.phones)]
  const seed = flags.seed === undefined ? randomIds.bytes(4).readUInt32BE() : Number(flags.seed)
  if (![rounds, clients, phones, seed].every(Number.isSafeInteger) || clients > firstFreeColumn || !isStoreKind(flags.store)) throw new Error(usage)
  console.log(`seed ${seed}, ${clients} clients, ${phones} phones, leases in ${flags.store}`)

  const run = { clients, phones, random: seededRandom(seed) }
  const outside = flags.only === 'inside' ? 0 : flags.only === 'outside' ? rounds : Math.ceil(rounds / 2)
  const failed = await runRounds('outside', outside, run) + await runRounds('inside', rounds - outside, run)
  console.log(`seed ${seed}\n${rounds - failed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}

/** @returns how many failed */
async function runRounds (sort: Sort, rounds: number, run: Run): Promise<number> {
  if (rounds === 0) return 0
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-crash-'))
  const { phones } = run
  const database = flags.store === 'postgres' ? await createTestDatabase() : undefined
  const parts = { stateDir, phones, storeFlags: database === undefined ? [] : ['--store-url', database.url] }
  const bench = sort === 'outside' ? await remotePhonesBench(parts) : commandBench(parts)
  let failed = 0
  try {
    const { play, stop } = await createRounds(sort, bench, run)
    for (let round = 1; round <= rounds; round++) {
      const { line, problems } = await play()
      console.log(`${sort} ${round}/${rounds}  ${line}  ${problems.length === 0 ? 'ok' : 'FAILED'}`)
      for (const problem of problems.slice(0, 20)) console.log(`    ${problem}`)
      if (problems.length > 20) console.log(`    and ${problems.length - 20} more`)
      if (problems.length > 0) failed++
    }
    await stop()
  } finally {
    await bench.close()
    await database?.drop()
    await rm(stateDir, { recursive: true, force: true })
  }
  return failed
}

interface Rounds {
  play (): Promise<{ readonly line: string, readonly problems: readonly string[] }>
  stop (): Promise<void>
}

async function createRounds (sort: Sort, bench: Bench, { clients: count, random }: Run): Promise<Rounds> {
  const phoneLog = createPhoneLogCheck(clientShownBy)
  let noteLoad = (): void => {}
  const known = createKnownLeases({
    onGrant ({ device, fence, client }) {
      phoneLog.expect(device, fence, client)
      noteLoad()
    }
  })
  let problems: string[] = []
  const tell = (problem: string): void => { problems.push(problem) }
  const agent = keepAliveAgent()
  const clients = Array.from({ length: count }, (_, index) => createLoadClient(index, {
    agent, known, random: seededRandom(Math.floor(random() * 2 ** 32)), tell
  }))
  let gateway: RunningGateway = await bench.ready(bench.launch())

  async function play (): ReturnType<Rounds['play']> {
    problems = []
    const loaded = new Promise<void>((resolve) => { noteLoad = resolve })
    const running = Promise.all([
      revokeNowAndThen(gateway, { agent, known, random: seededRandom(Math.floor(random() * 2 ** 32)), tell }),
      ...clients.map(async (client) => await client.run(gateway))
    ])
    if (known.open().length === 0) await Promise.race([loaded, running])
    const loadMs = Math.floor(random() * longestLoadMs)
    await pause(loadMs)
    await gateway.process.kill()
    await running

    const starts = await restart()
    const findings = await checkAfterRestart({ gateway, agent, known, phonesLive: sort === 'outside', namesCallers: sort === 'outside' })
    problems.push(...findings.problems)
    for (const client of clients) if (client.lease?.state === 'over') client.lease = undefined
    const actions = await bench.phoneLog()
    problems.push(...phoneLog.read(actions))
    return {
      line: `killed after ${loadMs} ms of load${starts === 0 ? '' : `, ${starts} times while starting`}; ${leaseLine(findings)}${sort === 'outside' ? `; ${actions.length} actions` : ''}`,
      problems
    }
  }

  return { play, stop: async () => await gateway.process.kill() }

  /** @returns how often the new one was killed before it served */
  async function restart (): Promise<number> {
    for (let starts = 0; ; starts++) {
      const process = bench.launch()
      if (random() >= killsWhileStarting) {
        gateway = await bench.ready(process)
        return starts
      }
      await pause(Math.floor(random() * longestStartMs))
      await process.kill()
    }
  }
}

function leaseLine ({ goOn, ended, undelivered }: Findings): string {
  const parts = [`${goOn} go on`, ...Object.entries(ended).map(([reason, count]) => `${count} ${reason}`), ...(undelivered === 0 ? [] : [`${undelivered} no client was told of`])]
  return `leases: ${parts.join(', ')}`
}

if (flags.help) console.log(usage)
else await main()
