/**
 * Work on a phone under a lease: what every device-bound tool runs through.
 *
 * The lease manager checks the handle against the principal and keeps the lease while the work
 * runs; the driver gets the lease's fence and its signal with each command. What acts takes a
 * turn per lease (`turns.ts`), what only looks does not. Which lease a call without a handle
 * means is decided in `lease-choice.ts`.
 */
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import type { DeviceDriver } from '../devices/device-driver.ts'
import type { Command, UiNode } from '../devices/device-types.ts'
import type { LeaseScreens, ScreenMemory } from '../devices/screen/screen-memory.ts'
import type { Screen } from '../devices/screen/screen.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { LeaseManager, LeaseUse, UseKind } from '../leases/contract/lease-manager.ts'
import { LeaseEndedRefusal } from '../leases/contract/lease-refusals.ts'
import type { Principal } from '../protocol/principal.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import type { LeaseChoice } from './lease-choice.ts'
import type { ToolCall } from './tool-definition.ts'
import { createKeyedTurns } from './turns.ts'

/** A caller and the handle it named. */
export interface UseRequest {
  readonly handle: string
  readonly principal: Principal
  /** Hashed. */
  readonly sessionKey?: string | undefined
  readonly signal: AbortSignal
  /** How long the work may hold off the end of its lease. */
  readonly limitMs?: number | undefined
  /** The lease was taken for the very call that uses it. */
  readonly byAcquirer?: boolean
  /** Told how long the work waited for other work under the same lease. */
  readonly noteWait?: (waitedMs: number) => void
}

/** A call of a tool and the handle it named, if it did. */
export interface CallUse {
  readonly handle: string | undefined
  readonly call: ToolCall
  readonly limitMs?: number | undefined
}

/** A phone in hand. */
export interface DeviceUse {
  readonly lease: Lease
  readonly driver: DeviceDriver
  /** What the driver wants with every command. */
  readonly command: Command
  readonly memory: LeaseScreens
  /** Looks at the phone, remembers what it saw, and tells when it differs from what was seen before. */
  look (): Promise<{ readonly screen: Screen, readonly root: UiNode }>
  /** Tells that the screen may have changed, where no look can. */
  tellScreenChange (): void
}

export interface DeviceUses<Request> {
  /** For work that only looks. */
  reading<T> (request: Request, work: (use: DeviceUse) => Promise<T>): Promise<T>
  /** For work that acts: one at a time per lease. */
  acting<T> (request: Request, work: (use: DeviceUse) => Promise<T>): Promise<T>
}

// Longer than any work that does not wait for something by itself.
const lookLimitMs = 60_000
const controlLimitMs = 120_000

export function createDeviceUses ({ leases, screens, clock, onScreenChange }: {
  readonly leases: LeaseManager
  readonly clock: Clock
  readonly screens: ScreenMemory
  readonly onScreenChange: (lease: Lease) => void
}): DeviceUses<UseRequest> {
  const turns = createKeyedTurns(clock)

  async function use<T> (kind: UseKind, { principal, ...request }: UseRequest & { readonly limitMs: number }, work: (use: DeviceUse) => Promise<T>): Promise<T> {
    try {
      return await leases.use({ ...request, holder: { principal: principal.key }, kind }, ({ lease, driver, signal }) => {
        return work(take({ lease, driver, signal }))
      })
    } catch (error) {
      // Only its holder is told that a lease has ended, so no other caller can make us forget.
      if (error instanceof LeaseEndedRefusal) screens.forget(request.handle)
      throw error
    }
  }

  function take ({ lease, driver, signal }: LeaseUse): DeviceUse {
    const command = { fence: lease.fence, signal }
    const memory = screens.of(lease)
    return {
      lease,
      driver,
      command,
      memory,
      async look () {
        ensureNotCancelled(signal)
        const observation = await driver.observe(command)
        const before = memory.latest()
        const screen = memory.record(observation)
        if (before !== undefined && before.rev !== screen.rev) onScreenChange(lease)
        return { screen, root: observation.root }
      },
      tellScreenChange: () => onScreenChange(lease)
    }
  }

  return {
    reading: (request, work) => use('look', { ...request, limitMs: request.limitMs ?? lookLimitMs }, work),
    acting: (request, work) => use('control', { ...request, limitMs: request.limitMs ?? controlLimitMs }, (use) => {
      const { noteWait } = request
      const taker = { signal: use.command.signal, ...(noteWait === undefined ? {} : { noteWait }) }
      return turns.take(use.lease.handle, taker, () => work(use))
    })
  }
}

/**
 * The same for calls of tools, which need not name their lease. A caller that wants log messages
 * is told which phone is in hand, what each look saw, and how the use ended and after how long.
 */
export function createCallUses (
  uses: DeviceUses<UseRequest>, { choice, clock }: { readonly choice: LeaseChoice, readonly clock: Clock }
): DeviceUses<CallUse> {
  async function chosen ({ handle, call, limitMs }: CallUse): Promise<UseRequest> {
    const { principal, sessionKey, signal } = call
    return { ...await choice.choose(handle, call), principal, sessionKey, signal, limitMs, noteWait: (waitedMs) => call.noteWait(waitedMs) }
  }

  /** The work, once its call has noted the phone in hand. */
  function noted<T> ({ call }: CallUse, work: (use: DeviceUse) => Promise<T>): (use: DeviceUse) => Promise<T> {
    return async (use) => {
      const device = use.lease.deviceId
      const startMs = clock.monotonicMs()
      const durationMs = (): number => Math.round(clock.monotonicMs() - startMs)
      call.noteDevice(device)
      call.log('debug', { event: 'phoneTaken', device })
      try {
        const done = await work({ ...use, look: () => told(use, call) })
        call.log('info', { event: 'phoneUsed', device, durationMs: durationMs() })
        return done
      } catch (error) {
        call.log('warning', { event: 'phoneUseFailed', device, durationMs: durationMs(), ...(error instanceof Refusal ? { code: error.code } : {}) })
        throw error
      }
    }
  }

  async function told (use: DeviceUse, call: ToolCall): ReturnType<DeviceUse['look']> {
    const seen = await use.look()
    const { rev, app, elements } = seen.screen
    call.log('debug', { event: 'looked', rev, app, elements: elements.length })
    return seen
  }

  return {
    reading: async (request, work) => await uses.reading(await chosen(request), noted(request, work)),
    acting: async (request, work) => await uses.acting(await chosen(request), noted(request, work))
  }
}
