/**
 * The ledger: what leases have changed on phones, and how it was before.
 *
 * A change is written down before it is made, so that none can be forgotten: one that was
 * written down and never made costs a step of undoing that finds nothing to do. A change of the
 * same thing is written once, and the first `before` counts, whichever lease made it: a cleanup
 * that leaves something as it is leaves its row too, and a later one puts back what was there
 * in the beginning. A row goes once its change is undone. So what has rows is what is left to
 * do, after a crash as before it.
 */
import { z } from 'zod'
import { permissionStates } from '../../devices/app-commands.ts'
import { orientations } from '../../devices/device-types.ts'

const wholePhone = { target: z.literal(''), before: z.null() }

/** What was changed, and what has to be known to undo it. */
export const changeSchema = z.discriminatedUnion('kind', [
  /** The phone is to be made as new: more than undoing, and begun only when its holder asked for it. */
  z.strictObject({ kind: z.literal('erase'), ...wholePhone }),
  z.strictObject({ kind: z.literal('recording'), ...wholePhone }),
  /** Not with what was there before: it may be a secret, and in the home state it is nothing. */
  z.strictObject({ kind: z.literal('clipboard'), ...wholePhone }),
  z.strictObject({ kind: z.literal('files'), ...wholePhone }),
  z.strictObject({ kind: z.literal('orientation'), target: z.literal(''), before: z.enum(orientations) }),
  z.strictObject({ kind: z.literal('locale'), target: z.literal(''), before: z.string() }),
  z.strictObject({
    kind: z.literal('location'), target: z.literal(''), before: z.strictObject({ latitude: z.number(), longitude: z.number() }).nullable()
  }),
  z.strictObject({
    kind: z.literal('network'),
    target: z.literal(''),
    before: z.strictObject({ wifi: z.boolean(), data: z.boolean(), airplane: z.boolean() })
  }),
  /** An app was installed, replaced or removed; `target` is its id. */
  z.strictObject({ kind: z.literal('app'), target: z.string(), before: z.enum(['home', 'absent']) }),
  /** The data of an app was erased, and what it has now is the holder's; `target` is its id. */
  z.strictObject({ kind: z.literal('app_data'), target: z.string(), before: z.null() }),
  /** `target` is the id of the app, a blank, and the permission. */
  z.strictObject({ kind: z.literal('permission'), target: z.string(), before: z.enum(permissionStates) })
])

export type Change = Readonly<z.output<typeof changeSchema>>
export type ChangeKind = Change['kind']
export type ChangeOf<Kind extends ChangeKind> = Extract<Change, { readonly kind: Kind }>

export interface RecordedChange {
  readonly id: number
  readonly change: Change
}

/** Things that a lease may change before it has to be released: undoing has its time too. */
export const mostChanges = 200

/** Where changes outlive the process. What a promise has resolved for is on the disk. */
export interface ChangeLedger {
  /**
   * Writes a change down, unless one of the same kind and target is there.
   *
   * @returns false when the fencing token is not the device's highest any more: the lease
   * that wants to make the change is over, and nothing is written
   */
  record (change: Change, by: { readonly deviceId: string, readonly fence: number }): Promise<boolean>

  /** What is not undone yet, the newest first. */
  changesOf (deviceId: string): Promise<readonly RecordedChange[]>

  /** Forgets a change that is undone. */
  remove (id: number): Promise<void>
}
