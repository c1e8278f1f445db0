import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

export interface Pinning {
  /** Whether contenders have one core and the load another. */
  readonly isPinned: boolean
  /** The command that runs `command` on the contenders' core. */
  command (command: readonly [string, ...string[]]): readonly [string, ...string[]]
}

/**
 * Puts this process, which makes the load, on core 1 and contenders on core 0, so that neither
 * takes time from the other. Where that cannot be done they share what there is.
 */
export function pinLoad (): Pinning {
  const isPinned = availableParallelism() > 1 &&
    spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', '1', String(process.pid)]).status === 0
  return {
    isPinned,
    command: (command) => isPinned ? ['taskset', '--cpu-list', '0', ...command] : command
  }
}
