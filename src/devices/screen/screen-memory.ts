/**
 * What is remembered of the screens seen under each lease: enough to say what has changed,
 * and to know an element again.
 *
 * Bounded twice: a device has the memory of one lease only, the newest that looked at it, and
 * a lease has its last eight screens. So memory grows with the pool, not with the leases that
 * came and went. A straggler of an ended lease gets a memory of its own that is not kept.
 */
import { createHash } from 'node:crypto'
import type { Observation } from '../device-types.ts'
import { carryRefs } from './carry-refs.ts'
import { obstaclesOf } from './obstacles.ts'
import { flattenTree, type FlatTree } from './flatten-tree.ts'
import type { Screen, ScreenElement, ScreenHead } from './screen.ts'

const screensKept = 8

/** The lease a screen is seen under, as far as remembering goes. */
export interface ScreenOwner {
  readonly handle: string
  readonly deviceId: string
  readonly fence: number
}

/** The screens seen under one lease. */
export interface LeaseScreens {
  /** Takes in one look; equal screens keep their rev, elements that live on keep their ref. */
  record (observation: Observation): Screen
  /** The newest screen, if there was one. */
  latest (): Screen | undefined
  /** The screen of an earlier rev, while it is remembered. */
  recall (rev: number): Screen | undefined
  /** The element a ref last stood for, while that screen is remembered. */
  element (ref: string): ScreenElement | undefined
}

export interface ScreenMemory {
  /** The memory of a lease; empty for one that is new to its device. */
  of (owner: ScreenOwner): LeaseScreens
  /** Drops what was remembered under a lease that has ended. */
  forget (handle: string): void
}

export function createScreenMemory (): ScreenMemory {
  const byDevice = new Map<string, { readonly owner: ScreenOwner, readonly screens: LeaseScreens }>()

  return {
    of (owner) {
      const kept = byDevice.get(owner.deviceId)
      if (kept?.owner.handle === owner.handle) return kept.screens
      const screens = createLeaseScreens()
      if (kept === undefined || kept.owner.fence < owner.fence) byDevice.set(owner.deviceId, { owner, screens })
      return screens
    },
    forget (handle) {
      for (const [deviceId, { owner }] of byDevice) {
        if (owner.handle === handle) byDevice.delete(deviceId)
      }
    }
  }
}

function createLeaseScreens (): LeaseScreens {
  // Newest first.
  let kept: readonly Screen[] = []

  return {
    record (observation) {
      const [latest] = kept
      const tree = flattenTree(observation.root)
      const head = headOf(observation, tree)
      const fingerprint = fingerprintOf(head, tree)
      if (latest?.fingerprint === fingerprint) {
        const same = { ...latest, ...head }
        kept = [same, ...kept.slice(1)]
        return same
      }

      const screen = { ...head, ...name(kept, head, tree), fingerprint, rev: (latest?.rev ?? 0) + 1 }
      kept = [screen, ...kept.slice(0, screensKept - 1)]
      return screen
    },
    latest: () => kept[0],
    recall: (rev) => kept.find((screen) => screen.rev === rev),
    element (ref) {
      for (const screen of kept) {
        const element = screen.elements.find((candidate) => candidate.ref === ref)
        if (element !== undefined) return element
      }
      return undefined
    }
  }
}

function headOf (observation: Observation, { isCut, hasCutTexts }: FlatTree): ScreenHead {
  const { capturedAtMs, app, activity, visit, size, orientation, keyboardShown, locked, displayOff = false, warnings } = observation
  return {
    capturedAtMs,
    app,
    activity,
    visit,
    size,
    orientation,
    keyboardShown,
    locked,
    displayOff,
    warnings: [
      ...warnings,
      ...obstaclesOf({ locked, displayOff }),
      ...(isCut ? ['The screen has more elements than are kept; the last ones are missing.'] : []),
      ...(hasCutTexts ? ['The screen has more text than is kept; elements that say `cut` have more than is told.'] : [])
    ]
  }
}

/** Gives each element the ref it had before, or the next new one. */
function name (
  kept: readonly Screen[], head: ScreenHead, { elements }: FlatTree
): Pick<Screen, 'elements' | 'newestRef'> {
  const carried = carryRefs(kept, { ...head, elements })
  let newestRef = kept[0]?.newestRef ?? 0
  const named = elements.map((facts, index) => ({ ref: carried.get(index) ?? `e${++newestRef}`, ...facts }))
  return { elements: named, newestRef }
}

function fingerprintOf ({ capturedAtMs, warnings, ...head }: ScreenHead, { elements }: FlatTree): string {
  return createHash('sha256').update(JSON.stringify([head, elements])).digest('base64')
}
