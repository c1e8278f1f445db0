import { Refusal } from '../../refusals/refusal.ts'
import { failureFields, type Log } from '../log.ts'
import type { DeviceAvailability } from './availability.ts'
import { hasDevice } from './device-set.ts'
import type { Matches } from './matches.ts'

/** How long devices are left alone whose grant has failed. */
const againAfterMs = 1_000

/** A grant that the device side could not decide on, as on a full disk. */
export interface GrantFailure {
  readonly deviceIds: readonly string[]
  readonly fault: Error
  /** The same as part of a sentence. Only a refusal is worded for callers; what else went wrong is in the log. */
  readonly note: string
  /** When its devices are proposed again, unless a new request comes before. */
  againAtMs: number
}

/**
 * The devices whose last grant has failed. They are left alone for a moment: proposed at once,
 * they would fail again, as often as the machine can. A failure is remembered until the device
 * side has decided on a grant of the device.
 */
export interface GrantFailures {
  isLeftAlone (deviceId: string): boolean
  /** Whether its last grant has failed. */
  has (deviceId: string): boolean
  /** The failures of devices that match. */
  of (matches: Matches, devices: readonly DeviceAvailability[]): readonly GrantFailure[]
  failed (deviceIds: readonly string[], cause: unknown): void
  decided (deviceIds: readonly string[]): void
  /** Forgets devices that are in the pool no more. */
  keep (devices: readonly DeviceAvailability[]): void
}

export function createGrantFailures ({ nowMs, log }: { readonly nowMs: () => number, readonly log: Log }): GrantFailures {
  const failures = new Map<string, GrantFailure>()

  return {
    has: (deviceId) => failures.has(deviceId),
    isLeftAlone: (deviceId) => (failures.get(deviceId)?.againAtMs ?? 0) > nowMs(),

    of ({ any }, devices) {
      if (failures.size === 0) return []
      return devices.flatMap(({ description: { id } }, index) => hasDevice(any, index) ? failures.get(id) ?? [] : [])
    },

    failed (deviceIds, cause) {
      const isKnown = deviceIds.some((deviceId) => failures.has(deviceId))
      if (!isKnown) log.error({ devices: deviceIds, ...failureFields(cause) }, 'devices could not be granted')
      const why = cause instanceof Refusal ? `: ${cause.message.replace(/\.$/, '')}` : ''
      const failure = {
        deviceIds,
        fault: cause instanceof Error ? cause : new Error('a grant failed', { cause }),
        note: `granting it failed and is tried again${why}`,
        againAtMs: nowMs() + againAfterMs
      }
      for (const deviceId of deviceIds) failures.set(deviceId, failure)
    },

    decided (deviceIds) {
      for (const deviceId of deviceIds) failures.delete(deviceId)
    },

    keep (devices) {
      if (failures.size === 0) return
      const present = new Set(devices.map(({ description: { id } }) => id))
      for (const deviceId of failures.keys()) if (!present.has(deviceId)) failures.delete(deviceId)
    }
  }
}
