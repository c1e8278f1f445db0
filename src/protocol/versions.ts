/** The revisions mooring serves (wire-contract §0.1). Dates order as strings. */
export const modernVersion = '2026-07-28'

/** Revisions usable with per-request metadata: what discovery names, and -32022 to a request that has them (VER-03). */
export const modernVersions: readonly string[] = [modernVersion]

/** Newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
export type LegacyVersion = (typeof legacyVersions)[number]

/** What an `initialize` that asks for something else is answered with (LEGACY-01). */
export const newestLegacyVersion = legacyVersions[0]

/** The revision of a request that names none: it had no version header yet (ERA-05). */
export const oldestLegacyVersion = '2025-03-26' satisfies LegacyVersion

export type Era = 'modern' | 'legacy'

export function isLegacyVersion (version: unknown): version is LegacyVersion {
  return legacyVersions.some((served) => served === version)
}
