/**
 * What the compiler says to a new command that changes the phone. Each `@ts-expect-error` fails
 * the build when the error it waits for is gone; the tests are about what does compile.
 */
import t from 'tap'
import type { DeviceDriver } from '../../../src/devices/device-driver.ts'
import type { Command } from '../../../src/devices/device-types.ts'
import { memberKinds, type MemberKinds } from '../../../src/devices/driver-commands.ts'
import { recorders, type Recorder, type Recorders } from '../../../src/leases/cleanup/recorders.ts'
import { undos, type UndoableChange, type Undos } from '../../../src/leases/cleanup/undo-change.ts'

interface NewPort extends DeviceDriver {
  getTimezone (command: Command): Promise<string>
  setTimezone (timezone: string, command: Command): Promise<void>
}

type NewChange = UndoableChange | { readonly kind: 'timezone', readonly target: '', readonly before: string }

t.test('a new command needs a kind', (t) => {
  // @ts-expect-error The table has no row for it.
  memberKinds satisfies MemberKinds<NewPort>
  const kinds = { ...memberKinds, getTimezone: 'look', setTimezone: 'change' } as const satisfies MemberKinds<NewPort>

  // @ts-expect-error What carries the token of a lease is no fact.
  ;({ ...memberKinds, getTimezone: 'look', setTimezone: 'fact' } as const) satisfies MemberKinds<NewPort>
  // @ts-expect-error What carries none cannot be fenced.
  ;({ ...kinds, bootId: 'look' } as const) satisfies MemberKinds<NewPort>
  t.equal(kinds.setTimezone, 'change')
  t.end()
})

t.test('a new command that changes the phone needs a recorder', (t) => {
  const kinds = { ...memberKinds, getTimezone: 'look', setTimezone: 'change' } as const
  const setTimezone: Recorder<[timezone: string, command: Command]> = () => ({ kind: 'clipboard', target: '', before: () => null })

  // @ts-expect-error Nothing says how it is written down.
  recorders satisfies Recorders<NewPort, typeof kinds>
  const all = { ...recorders, setTimezone } satisfies Recorders<NewPort, typeof kinds>

  // @ts-expect-error A recorder cannot change the phone.
  const meddling: Recorder<[timezone: string, command: Command]> = (phone, _, command) => phone.clearLocation(command)
  // @ts-expect-error What the ledger does not know cannot be written down.
  const unknown: Recorder<[timezone: string, command: Command]> = () => ({ kind: 'timezone', target: '', before: () => 'Europe/Athens' })
  // @ts-expect-error A command that only looks has no recorder.
  const superfluous: Recorders = { ...recorders, getLocale: () => undefined }

  t.equal(kinds.setTimezone, 'change')
  for (const recorder of [all.setTimezone, meddling, unknown, superfluous.setLocale]) t.type(recorder, 'function')
  t.end()
})

t.test('a new kind of change needs an undo', (t) => {
  const timezone = { limitMs: 1_000, run: async () => undefined }

  // @ts-expect-error Nothing says how it is undone.
  undos satisfies Undos<NewChange>
  const all = { ...undos, timezone } satisfies Undos<NewChange>

  t.equal(all.timezone.limitMs, 1_000)
  t.end()
})
