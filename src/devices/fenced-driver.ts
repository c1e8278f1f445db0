/**
 * A driver that obeys one command at a time, and none of a lease that is over.
 *
 * Commands take turns in the order they came. When a command's turn comes its fencing token is
 * compared with the highest seen, from a command or from `raiseFence`; a lower one is refused,
 * so that a holder that never noticed the end of its lease cannot act into the next. The check
 * waits for the turn because the fence may rise while the command waits.
 *
 * A command that is aborted while it waits never runs. One that is running is the driver's to
 * stop; until it has come back nothing else runs, because the phone may still be obeying it.
 *
 * Every command is fenced, by the table of them (`driver-commands.ts`). Facts are no commands:
 * they are told while commands run.
 */
import type { DeviceDriver } from './device-driver.ts'
import type { Command } from './device-types.ts'
import { DeviceBusyRefusal, LeaseFencedRefusal } from './device-refusals.ts'
import { commandOf, wrapCommands } from './driver-commands.ts'
import { createTurns } from '../runtime/turns.ts'

/** More than this many waiting commands are refused at once. */
export const maxWaitingCommands = 64

export interface FencedDriver extends DeviceDriver {
  /** From now on only commands with this token or a higher one are obeyed. Never goes down. */
  raiseFence (fence: number): void
}

export function fenceDriver (driver: DeviceDriver): FencedDriver {
  const device = driver.description.id
  const turns = createTurns()
  let highestFence = 0

  function raiseFence (fence: number) {
    highestFence = Math.max(highestFence, fence)
  }

  async function obey<T> (command: Command, work: () => Promise<T>): Promise<T> {
    if (turns.waiting >= maxWaitingCommands) throw new DeviceBusyRefusal(device, turns.waiting)
    return await turns.take(command.signal, () => {
      if (command.fence < highestFence) throw new LeaseFencedRefusal(device)
      raiseFence(command.fence)
      return work()
    })
  }

  return {
    description: driver.description,
    raiseFence,
    bootId: (signal) => driver.bootId(signal),
    homeApps: (signal) => driver.homeApps(signal),
    close: () => driver.close(),
    ...wrapCommands(driver, (_, run) => (...args) => obey(commandOf(args), () => run(...args)))
  }
}
