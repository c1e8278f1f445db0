/** The rows behind the change ledger, and the rules over them. */
import { changeSchema, type Change, type ChangeLedger } from './change-ledger.ts'

export interface NewChangeRow {
  readonly deviceId: string
  /** The fencing token under which the change is made. */
  readonly fence: number
  readonly kind: Change['kind']
  readonly target: string
  readonly before: Change['before']
}

/** A change as a database gives it back, not checked yet. */
export interface StoredChange {
  readonly id: number
  readonly kind: string
  readonly target: string
  readonly before: unknown
}

export interface ChangeRows {
  /**
   * One transaction: asks `mayAdd` with the highest fencing token of the device, which no change
   * of a lease raises meanwhile, and adds the row. A row of the same device, kind and target that
   * is there already stays as it is.
   *
   * @returns what `mayAdd` said; it is told undefined when the device was never enrolled
   */
  add (row: NewChangeRow, mayAdd: (fence: number | undefined) => boolean): Promise<boolean>

  /** The newest first. */
  ofDevice (deviceId: string): Promise<readonly StoredChange[]>

  remove (id: number): Promise<void>
}

/** A `ChangeLedger` over the rows of a database. */
export function createChangeLedger (rows: ChangeRows): ChangeLedger {
  return {
    record: ({ kind, target, before }, { deviceId, fence }) => {
      return rows.add({ deviceId, fence, kind, target, before }, (highest) => highest === fence)
    },

    async changesOf (deviceId) {
      const stored = await rows.ofDevice(deviceId)
      return stored.map(({ id, kind, target, before }) => ({ id, change: changeSchema.parse({ kind, target, before }) }))
    },

    remove: (id) => rows.remove(id)
  }
}
