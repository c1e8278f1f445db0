import type { Heard } from '../protocol/envelope.ts'
import type { Principal } from '../protocol/principal.ts'
import type { RunningRequests } from './running-requests.ts'
import type { ServerRequests } from './server-requests.ts'

/** Takes what callers send without wanting an answer; most of it means nothing to us (HTTP-07, LEGACY-03). */
export type Hear = (heard: Heard, principal: Principal) => void

export function createHearing ({ running, serverRequests }: {
  readonly running: RunningRequests
  readonly serverRequests: ServerRequests
}): Hear {
  return (heard, principal) => {
    switch (heard.kind) {
      case 'response':
        serverRequests.receive(heard, principal)
        return
      case 'notification':
        // CANCEL-02: a modern caller cancels by closing its stream, and in no other way.
        if (heard.era === 'legacy' && heard.method === 'notifications/cancelled') running.cancel({ principal, id: heard.params['requestId'] })
    }
  }
}
