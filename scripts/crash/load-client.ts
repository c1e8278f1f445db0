import type { Agent } from 'node:http'
import type { SeededRandom } from '../../src/devices/virtual/seeded-random.ts'
import { gatewayClient, member, type Answer, type GatewayAddress, type GatewayClient } from '../support/gateway-client.ts'
import type { KnownLease, KnownLeases } from './known-leases.ts'
import type { LoggedAction } from './phone-log.ts'

/** Refusals of a pool that is busy. */
const busy = new Set(['capacity_exhausted', 'device_cleanup_in_progress', 'wait_timed_out', 'queue_full', 'leases_unavailable', 'cancelled'])
/** Refusals of a phone whose screen is not what the action needs. */
const notOnScreen = new Set(['no_match', 'ambiguous', 'stale_ref', 'offscreen', 'no_focused_field', 'timeout', 'cancelled'])

const app = 'com.example.fieldnotes'

export interface LoadClient {
  readonly name: string
  /** The lease it was left with when its gateway died. */
  lease: KnownLease | undefined
  /** Acquires, acts and releases until the gateway is gone. */
  run (gateway: GatewayAddress): Promise<void>
}

export interface LoadParts {
  readonly agent: Agent
  readonly known: KnownLeases
  readonly random: SeededRandom
  readonly tell: (problem: string) => void
}

/** A client shows on the phone's own log: in the column that it taps, and in what it types. */
export function clientShownBy ({ operation, words }: LoggedAction): string | undefined {
  if (operation === 'tap') {
    const column = Number(/^\[\{"x":(\d+),/.exec(words)?.[1])
    return column < firstFreeColumn ? nameOf(column) : undefined
  }
  return operation === 'typeText' ? /^\["(client-\d+) "/.exec(words)?.[1] : undefined
}

/** To the right of it are the taps that find a field to type into. */
export const firstFreeColumn = 100

export function nameOf (index: number): string {
  return `client-${index}`
}

export function createLoadClient (index: number, { agent, known, random, tell }: LoadParts): LoadClient {
  const name = nameOf(index)
  // Some leave it to a session key to name their lease.
  const sessionKey = index % 4 === 0 ? `session of ${name}` : undefined

  async function turn (gateway: GatewayClient): Promise<void> {
    const { lease } = client
    if (lease === undefined) return await acquire(gateway)
    const chance = random()
    if (chance < 0.5) await act(gateway, lease, 'tapOn', { target: tapTarget(), observe: 'none' })
    else if (chance < 0.6) await type(gateway, lease)
    else if (chance < 0.7) await act(gateway, lease, 'observe', {})
    else if (chance < 0.78) await act(gateway, lease, 'renewLease', {})
    else if (chance < 0.85) await beat(gateway, lease)
    else await release(gateway, lease)
  }

  async function acquire (gateway: GatewayClient): Promise<void> {
    const answer = await gateway.call('acquireDevice', {
      purpose: name, waitMs: Math.floor(random() * 3_000), ttlMs: 600_000, ...(index % 3 === 0 ? { heartbeatMs: 60_000 } : {})
    }, sessionKey === undefined ? {} : { sessionKey })
    if (!answer.ok) {
      if (!busy.has(answer.code)) tell(`${name} was refused a device: ${answer.code}`)
      return
    }
    const { lease: handle, fence, device } = answer.facts
    const { lease, problems } = known.acknowledge({
      handle: String(handle), device: String(member(device, 'id')), fence: Number(fence), client: name, namesIt: sessionKey === undefined
    })
    for (const problem of problems) tell(problem)
    client.lease = lease
  }

  async function act (gateway: GatewayClient, lease: KnownLease, tool: string, args: object): Promise<Answer> {
    const named = sessionKey === undefined || tool === 'renewLease'
    const answer = await gateway.call(tool, { ...(named ? { lease: lease.handle } : {}), ...args }, sessionKey === undefined ? {} : { sessionKey })
    if (!answer.ok && wasRevoked(answer, lease)) {
      forget(lease)
    } else if (!answer.ok && !notOnScreen.has(answer.code)) {
      tell(`${name} could not ${tool} under fence ${lease.fence} of ${lease.device}: ${answer.code} ${String(answer.facts['reason'] ?? '')}`)
      if (answer.code === 'lease_ended' || answer.code === 'lease_unknown') forget(lease)
    }
    return answer
  }

  async function type (gateway: GatewayClient, lease: KnownLease): Promise<void> {
    const launched = await act(gateway, lease, 'launchApp', { app, observe: 'none' })
    if (launched.ok) await act(gateway, lease, 'inputText', { text: `${name} `, into: { text: 'E-mail' }, observe: 'none' })
  }

  async function beat (gateway: GatewayClient, lease: KnownLease): Promise<void> {
    const { status, body } = await gateway.http('POST', '/heartbeat', { sessionId: sessionKey ?? lease.handle })
    if (status !== 200 && !lease.isRevoked) tell(`the heartbeat of ${name} was answered with ${status} ${JSON.stringify(body)}`)
  }

  async function release (gateway: GatewayClient, lease: KnownLease): Promise<void> {
    lease.state = 'releasing'
    // A careless client still acts while it gives the phone back: what comes late must not reach the next holder.
    const late = random() < 0.5 ? gateway.call('tapOn', { lease: lease.handle, target: tapTarget(), observe: 'none' }) : undefined
    const [answer] = await Promise.all([gateway.call('releaseDevice', { lease: lease.handle }), late])
    if (!answer.ok && !wasRevoked(answer, lease)) tell(`${name} could not release ${lease.device}: ${answer.code}`)
    forget(lease)
  }

  function tapTarget (): object {
    return { x: index, y: 100 + Math.floor(random() * 2_000) }
  }

  function forget (lease: KnownLease): void {
    lease.state = 'over'
    client.lease = undefined
  }

  const client: LoadClient = {
    name,
    lease: undefined,
    async run (address) {
      const gateway = gatewayClient(address, name, agent)
      for (;;) {
        try {
          await turn(gateway)
        } catch (error) {
          if (!isConnectionLoss(error)) tell(`${name}: ${String(error)}`)
          return
        }
      }
    }
  }
  return client
}

function wasRevoked ({ code, facts }: Extract<Answer, { readonly ok: false }>, { isRevoked }: KnownLease): boolean {
  return isRevoked && code === 'lease_ended' && facts['reason'] === 'revoked'
}

export function isConnectionLoss (error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
}
