import type { Agent } from 'node:http'
import type { SeededRandom } from '../../src/devices/virtual/seeded-random.ts'
import { gatewayClient, type GatewayAddress } from '../support/gateway-client.ts'
import { pause } from '../support/pause.ts'
import type { KnownLease, KnownLeases } from './known-leases.ts'
import { isConnectionLoss } from './load-client.ts'

const longestPauseMs = 200

/**
 * Takes leases away from clients that act on them, until the gateway is gone. Those of clients
 * that name none are left alone: with their session key, the next call of such a client takes
 * another phone, as it should, and this script would not know which.
 */
export async function revokeNowAndThen (gateway: GatewayAddress, { agent, known, random, tell }: {
  readonly agent: Agent
  readonly known: KnownLeases
  readonly random: SeededRandom
  readonly tell: (problem: string) => void
}): Promise<void> {
  const operator = gatewayClient(gateway, 'operator', agent)
  for (;;) {
    await pause(random() * longestPauseMs)
    const held = known.open().filter(({ state, namesIt }) => state === 'held' && namesIt)
    const lease = held[Math.floor(random() * held.length)]
    try {
      if (lease === undefined) await operator.http('GET', '/livez')
      else await revoke(lease)
    } catch (error) {
      if (!isConnectionLoss(error)) tell(`the operator: ${String(error)}`)
      return
    }
  }

  async function revoke (lease: KnownLease): Promise<void> {
    lease.isRevoked = true
    const { status } = await operator.http('POST', `/leases/${lease.device}:${lease.fence}/revoke`, { reason: 'another agent needs it' })
    // Its holder may have been faster.
    if (![200, 404, 409].includes(status)) tell(`the lease on ${lease.device} with fence ${lease.fence} could not be revoked: ${status}`)
  }
}
