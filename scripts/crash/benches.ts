import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { announcedPort, ask, forkModule, startProgram, type StartedProcess } from '../support/child-processes.ts'
import type { GatewayAddress } from '../support/gateway-client.ts'
import type { LoggedAction } from './phone-log.ts'

export interface RunningGateway extends GatewayAddress {
  readonly process: StartedProcess
}

/** Where gateways are started again and again over one state directory and one store. */
export interface Bench {
  /** Starts one without waiting for it. */
  launch (): StartedProcess
  /** Waits until it serves. */
  ready (process: StartedProcess): Promise<RunningGateway>
  /** What the phones have logged since they were last asked; nothing where they end with the gateway. */
  phoneLog (): Promise<readonly LoggedAction[]>
  close (): Promise<void>
}

export interface BenchParts {
  readonly stateDir: string
  readonly phones: number
  /** The flags that name the store; none for SQLite in the state directory. */
  readonly storeFlags: readonly string[]
}

const extension = extname(import.meta.url)
const moduleFile = (path: string): string => fileURLToPath(new URL(`${path}${extension}`, import.meta.url))

const sharedFlags = ['--log-level', 'warn', '--max-requests-in-flight', '4096']

/** The `mooring` command, whose virtual phones end with it. */
export function commandBench ({ stateDir, phones, storeFlags }: BenchParts): Bench {
  return {
    launch: () => startProgram(moduleFile('../../src/cli/main'), [
      'serve', '--port', '0', '--state-dir', stateDir, '--devices-virtual-android', String(phones), '--devices-virtual-ios', '0', ...sharedFlags, ...storeFlags
    ], { cwd: stateDir }),
    ready: async (process) => await serving(process, stateDir),
    phoneLog: async () => [],
    close: async () => {}
  }
}

/** The same server over phones that live on in a process of their own. */
export async function remotePhonesBench ({ stateDir, phones, storeFlags }: BenchParts): Promise<Bench> {
  const phoneProcess = forkModule(moduleFile('phone-process'), { CRASH_PHONES: String(phones) })
  phoneProcess.exited.then((code) => { if (code !== null) console.error(`the phones ended with ${code}: ${phoneProcess.errors()}`) }, () => {})
  const [{ port }] = await once(phoneProcess.child, 'message') as [{ readonly port: number }]
  return {
    launch: () => startProgram(moduleFile('gateway-with-remote-phones'), [String(port), '--state-dir', stateDir, ...sharedFlags, ...storeFlags], { cwd: stateDir }),
    ready: async (process) => await serving(process, stateDir),
    phoneLog: async () => (await ask(phoneProcess, 'log') as { readonly actions: readonly LoggedAction[] }).actions,
    close: async () => await phoneProcess.kill()
  }
}

async function serving (process: StartedProcess, stateDir: string): Promise<RunningGateway> {
  const port = await announcedPort(process)
  return { process, port, token: (await readFile(join(stateDir, 'token'), 'utf8')).trim() }
}
