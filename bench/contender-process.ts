import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Order, Started, StartOrder, Usage } from './contend.ts'
import type { Contender, ContenderSetup } from './contenders/contender.ts'
import type { Pinning } from './pinning.ts'

export interface ContenderProcess extends Started {
  readonly contender: Contender
  usage (): Promise<Usage>
  /** Tells all its streams of a change; resolves when it has begun to. */
  publish (): Promise<Usage>
  /** What is still used after a garbage collection. */
  collect (): Promise<Usage>
  stop (): Promise<void>
}

const program = fileURLToPath(new URL('./contend.js', import.meta.url))

/** Starts a contender in a process of its own. `profiles` is a folder for CPU profiles. */
export async function startContender (contender: Contender, setup: ContenderSetup, { pinning, profiles }: {
  readonly pinning: Pinning
  readonly profiles: string | undefined
}): Promise<ContenderProcess> {
  const [command, ...args] = pinning.command([process.execPath, '--expose-gc', program])
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })

  const profile = profiles === undefined ? undefined : join(profiles, `${contender.name}-${setup.toolCount}.cpuprofile`)
  const start: StartOrder = { order: 'start', name: contender.name, setup, profile }
  const started = await ask(child, start) as Started
  const measured = async (order: Exclude<Order, StartOrder>['order']): Promise<Usage> => await ask(child, { order }) as Usage
  return {
    ...started,
    contender,
    usage: async () => await measured('usage'),
    publish: async () => await measured('publish'),
    collect: async () => await measured('collect'),
    async stop () {
      if (!child.connected) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    }
  }
}

/** Every order has one answer, and they come in order. */
async function ask (child: ChildProcess, order: Order): Promise<unknown> {
  const settled = new AbortController()
  const { signal } = settled
  try {
    const answered = once(child, 'message', { signal })
    const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => { throw new Error(`a contender ended with ${String(code ?? killedBy)}`) })
    child.send(order)
    const [answer] = await Promise.race([answered, ended]) as [unknown]
    return answer
  } finally {
    settled.abort()
  }
}
