/**
 * A driver that writes down what it changes before it changes it.
 *
 * Work under a lease gets no other one, so no tool can forget to. Which commands are written
 * down is said by the table of all commands (`driver-commands.ts`); how, by `recorders.ts`. What
 * touches only the screen is not written down: the cleanup goes to the home screen in any case,
 * and what a holder did inside an app is the app's data.
 */
import type { DeviceDriver } from '../../devices/device-driver.ts'
import { LeaseFencedRefusal } from '../../devices/device-refusals.ts'
import { commandOf, memberKinds, wrapCommands, type AnyCommand, type CommandName, type NamesOf } from '../../devices/driver-commands.ts'
import { mostChanges, type Change, type ChangeLedger } from './change-ledger.ts'
import { TooManyChangesRefusal } from './cleanup-refusals.ts'
import { recorders, type Note, type Recorder } from './recorders.ts'

/** Wraps a driver for all leases of its device: each command carries the fencing token of its own lease. */
export function recordingDriver (driver: DeviceDriver, ledger: ChangeLedger): DeviceDriver {
  const deviceId = driver.description.id

  async function write (note: Note, fence: number): Promise<void> {
    const written = await ledger.changesOf(deviceId)
    if (written.some(({ change }) => change.kind === note.kind && change.target === note.target)) return
    if (written.length >= mostChanges) throw new TooManyChangesRefusal(deviceId, written.length)
    // A note's `before` is that of its kind.
    const change = { kind: note.kind, target: note.target, before: await note.before() } as Change
    // The lease may have ended while the phone was asked how things are.
    if (!await ledger.record(change, { deviceId, fence })) throw new LeaseFencedRefusal(deviceId)
  }

  function recorded (name: NamesOf<'change'>, run: AnyCommand): AnyCommand {
    // It gets the arguments of its own command.
    const noteOf = recorders[name] as Recorder<readonly unknown[]>
    return async (...args) => {
      const note = await noteOf(driver, ...args)
      if (note !== undefined) await write(note, commandOf(args).fence)
      return await run(...args)
    }
  }

  return {
    description: driver.description,
    bootId: (signal) => driver.bootId(signal),
    homeApps: (signal) => driver.homeApps(signal),
    close: () => driver.close(),
    ...wrapCommands(driver, (name, run) => isChange(name) ? recorded(name, run) : run),

    async restoreHome (command) {
      const undone = await ledger.changesOf(deviceId)
      const done = await driver.restoreHome(command)
      for (const { id } of undone) await ledger.remove(id)
      return done
    }
  }
}

function isChange (name: CommandName): name is NamesOf<'change'> {
  return memberKinds[name] === 'change'
}
