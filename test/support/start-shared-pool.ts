import { callerHeader } from '../../scripts/support/named-callers.ts'
import type { AcquireTerms, DeviceSelector } from '../../src/leases/contract/lease-manager.ts'
import type { Lease } from '../../src/leases/contract/lease.ts'
import { fakePool, type FakeDriver } from './fake-driver.ts'
import { exchange, type Reply } from './http-exchange.ts'
import { manualTime, type ManualTime } from './manual-time.ts'
import { mcpWire, type Wire } from './mcp-wire.ts'
import { startTestApp, type TestedApp } from './start-test-app.ts'

interface Teardown { teardown (work: () => Promise<void>): void }

/** Somebody who uses the pool, under a name of their own. */
export interface PoolCaller {
  readonly principal: string
  readonly wire: Wire
  get (path: string): Promise<Reply>
  /** A body that is no string goes out as JSON; without one, none is sent. */
  post (path: string, body?: unknown): Promise<Reply>
  /** Acquires past HTTP. */
  acquire (selector?: DeviceSelector, terms?: Partial<AcquireTerms>): Promise<Lease>
  release (lease: Lease): Promise<void>
}

export interface SharedPool {
  readonly app: TestedApp
  readonly port: number
  readonly token: string
  readonly time: ManualTime
  readonly phones: readonly FakeDriver[]
  caller (name: string): PoolCaller
}

/** A server over fake phones and manual time, whose callers are who they say they are. */
export async function startSharedPool (t: Teardown, { phones: count = 2, flags = [] }: { readonly phones?: number, readonly flags?: readonly string[] } = {}): Promise<SharedPool> {
  const time = manualTime(Date.UTC(2026, 0, 1))
  const phones = fakePool(count)
  const { app, port, token: readToken } = await startTestApp(t, {
    flags, clock: time.clock, scheduler: time.scheduler, phones
  })
  const token = await readToken()

  return {
    app,
    port,
    token,
    time,
    phones,
    caller (name) {
      const headers = { authorization: `Bearer ${token}`, [callerHeader]: name }
      const holder = { principal: `mooring\0${name}` }
      return {
        principal: holder.principal,
        wire: mcpWire({ port, token, headers: { [callerHeader]: name } }),
        get: async (path) => await exchange({ port, method: 'GET', path, headers }),
        async post (path, body) {
          if (body === undefined) return await exchange({ port, path, headers })
          return await exchange({
            port, path, headers: { ...headers, 'content-type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body)
          })
        },
        acquire: async (selector = {}, terms = {}) => await app.leases.acquire({ holder, selector, signal: new AbortController().signal, ...terms }),
        async release ({ handle, sessionKey }) { await app.leases.release({ handle, holder, sessionKey }) }
      }
    }
  }
}
