import type { Ids } from '../../src/runtime/ids.ts'

/** Ids in the shape of the real ones that count up: readable, and the same in every run. */
export function sequenceIds (): Ids {
  let leases = 0
  let byte = 0
  return {
    lease: () => `ls_${String(++leases).padStart(22, '0')}`,
    bytes: (size) => Buffer.from(Array.from({ length: size }, () => byte++ % 256))
  }
}
