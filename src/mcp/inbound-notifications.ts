import type { Inbound } from '../protocol/envelope.ts'
import type { CallerIdentity } from './exchange/caller-identity.ts'
import type { RunningRequests } from './running-requests.ts'
import type { ServerRequests } from './server-requests.ts'

/** Takes what callers send without wanting an answer; most of it means nothing here (HTTP-07, LEGACY-03). */
export type TakeInbound = (inbound: Inbound, caller: CallerIdentity) => void

export function createInboundNotifications ({ running, serverRequests }: {
  readonly running: RunningRequests
  readonly serverRequests: ServerRequests
}): TakeInbound {
  return (inbound, caller) => {
    switch (inbound.kind) {
      case 'response':
        serverRequests.receive(inbound, caller.principal)
        return
      case 'notification':
        // CANCEL-02: a modern caller cancels by closing its stream, and in no other way.
        if (inbound.era === 'legacy' && inbound.method === 'notifications/cancelled') {
          running.cancel({ caller, id: inbound.params['requestId'] })
        }
    }
  }
}
