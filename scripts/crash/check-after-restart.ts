import type { Agent } from 'node:http'
import { gatewayClient, isRecord, member, type GatewayAddress, type GatewayClient } from '../support/gateway-client.ts'
import { pause } from '../support/pause.ts'
import type { KnownLease, KnownLeases } from './known-leases.ts'

export interface Findings {
  readonly problems: readonly string[]
  /** Leases that go on as they were. */
  readonly goOn: number
  /** How many ended, by reason. */
  readonly ended: Readonly<Record<string, number>>
  /** Leases whose clients never heard of them; they are revoked. */
  readonly undelivered: number
}

export interface CheckParts {
  readonly gateway: GatewayAddress
  readonly agent: Agent
  readonly known: KnownLeases
  /** Whether the phones were there all the time, so that leases have to go on. */
  readonly phonesLive: boolean
  /** Whether the gateway takes callers at their word. */
  readonly namesCallers: boolean
}

const settleMs = 20_000
const pollMs = 50
/** How a release ends a lease: with its session key, and by its handle without the key. */
const released = ['released', 'released_by_other']

/** Asks a restarted gateway about everything that clients were told before. */
export async function checkAfterRestart ({ gateway, agent, known, phonesLive, namesCallers }: CheckParts): Promise<Findings> {
  const operator = gatewayClient(gateway, 'operator', agent)
  const problems: string[] = []
  const ended: Record<string, number> = {}
  let goOn = 0
  const acknowledged = known.open()

  // Before any client comes: what is recorded.
  const listed = await listOf(operator, 'leases')
  const holders = new Set<string>()
  for (const lease of listed) {
    const device = String(lease['device'])
    if (holders.has(device)) problems.push(`${device} has two leases`)
    holders.add(device)
    const told = known.find(device, Number(lease['fence']))
    if (told?.state === 'over') problems.push(`the lease with fence ${told.fence} on ${device} was over and is back`)
    if (told !== undefined && namesCallers && lease['holder'] !== told.client) problems.push(`${device} of ${told.client} is held by ${String(lease['holder'])}`)
  }

  for (const lease of acknowledged) {
    const { reason, problem } = await ask(gatewayClient(gateway, lease.client, agent), lease, { phonesLive })
    if (problem !== undefined) problems.push(problem)
    if (reason === undefined) {
      goOn++
      lease.state = 'held'
      // What was asked of the dead gateway and not done will not be done.
      lease.isRevoked = false
    } else {
      ended[reason] = (ended[reason] ?? 0) + 1
      lease.state = 'over'
    }
  }

  const unknown = listed.filter((lease) => known.find(String(lease['device']), Number(lease['fence'])) === undefined)
  for (const lease of unknown) {
    const { status } = await operator.http('POST', `/leases/${String(lease['id'])}/revoke`, { reason: 'no client was told of it' })
    // It can have ended by itself meanwhile.
    if (status !== 200 && status !== 404 && status !== 409) problems.push(`a lease on ${String(lease['device'])} could not be revoked: ${status}`)
  }

  problems.push(...await stillOver(gateway, agent, known), ...await missingFromAudit(operator, acknowledged), ...await stuck(operator, known))
  return { problems, goOn, ended, undelivered: unknown.length }
}

/** What has become of a lease, asked by its client. No reason: it goes on. */
async function ask (client: GatewayClient, lease: KnownLease, { phonesLive }: { readonly phonesLive: boolean }): Promise<{ readonly reason?: string, readonly problem?: string }> {
  const { device, fence, state, isRevoked } = lease
  const of = `the lease of ${lease.client} on ${device} with fence ${fence}`
  const answer = await client.call('renewLease', { lease: lease.handle })
  if (answer.ok) {
    if (answer.facts['fence'] !== fence) return { problem: `${of} has fence ${String(answer.facts['fence'])} now` }
    return phonesLive ? {} : { problem: `${of} goes on although its phone has restarted` }
  }
  const reason = String(answer.facts['reason'])
  if (answer.code !== 'lease_ended') return { reason: answer.code, problem: `${of} was acknowledged and is refused with ${answer.code}` }
  const expected = new Set([...(state === 'releasing' ? released : []), ...(isRevoked ? ['revoked'] : []), ...(phonesLive ? [] : ['device_restarted'])])
  return { reason, ...(expected.has(reason) ? {} : { problem: `${of} ended with ${reason}` }) }
}

/** Handles of leases that were over must not work again, and say why. */
async function stillOver (gateway: GatewayAddress, agent: Agent, known: KnownLeases): Promise<readonly string[]> {
  const problems: string[] = []
  for (const lease of known.ended(20)) {
    const answer = await gatewayClient(gateway, lease.client, agent).call('observe', { lease: lease.handle })
    if (answer.ok || answer.code !== 'lease_ended') problems.push(`the lease with fence ${lease.fence} on ${lease.device} was over, and now ${answer.ok ? 'works' : `is refused with ${answer.code}`}`)
  }
  return problems
}

/** The audit is read back as far as it takes to find the grant of each lease. */
async function missingFromAudit (operator: GatewayClient, leases: readonly KnownLease[]): Promise<readonly string[]> {
  let missing = leases
  let before = ''
  while (missing.length > 0) {
    const { body } = await operator.http('GET', `/audit?limit=1000${before}`)
    const entries = recordsIn(body, 'entries')
    const last = entries.at(-1)
    if (last === undefined) return missing.map(({ device, fence }) => `the audit knows nothing of the grant on ${device} with fence ${fence}`)
    const grants = entries.filter(({ event }) => event === 'grant')
    missing = missing.filter(({ device, handle }) => !grants.some((grant) => grant['device'] === device && handle.startsWith(String(grant['lease']))))
    before = `&before=${String(last['id'])}`
  }
  return []
}

/** Every device without a lease becomes free in the end. */
async function stuck (operator: GatewayClient, known: KnownLeases): Promise<readonly string[]> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const devices = await listOf(operator, 'devices')
    const held = new Set(known.open().map(({ device }) => device))
    const late = devices.filter(({ id, state }) => state !== (held.has(String(id)) ? 'leased' : 'free'))
    if (late.length === 0) return []
    if (waitedMs >= settleMs) return late.map(({ id, state, reason }) => `${String(id)} is still ${String(state)} ${String(reason ?? '')}`)
    await pause(pollMs)
  }
}

async function listOf (operator: GatewayClient, name: 'devices' | 'leases'): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
  const { status, body } = await operator.http('GET', `/${name}`)
  if (status !== 200) throw new Error(`GET /${name} was answered with ${status}`)
  return recordsIn(body, name)
}

function recordsIn (body: unknown, name: string): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const items = member(body, name)
  return Array.isArray(items) ? items.filter(isRecord) : []
}
