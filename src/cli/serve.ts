/**
 * `mooring serve`: settings, app, port, start-up, banner; then it runs until it is told to
 * stop, and closes what it opened. stdout is for people, stderr for the log and for errors.
 */
import { configErrorText, startUpErrorText, unexpectedErrorText } from './error-text.ts'
import { banner, endpointUrl } from './banner.ts'
import type { StallWatchdog } from './stall-watchdog.ts'
import { watchForShutdown, type EndingProcess } from './shutdown.ts'
import { ConfigRefusal } from '../config/config-refusal.ts'
import { loadConfig, type Config, type ConfigSources } from '../config/load-config.ts'
import type { LeaseManager } from '../leases/contract/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { packageVersion } from '../runtime/package-root.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'

export interface ServingProcess extends EndingProcess {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly platform: NodeJS.Platform
}

/** The app as far as the command knows it. */
export interface ServedApp {
  listen (address: { readonly host: string, readonly port: number }): Promise<string>
  readonly server: { address (): { readonly port: number } | string | null }
  /** What needs the port first: called once, after `listen`. */
  startUp (): Promise<void>
  readonly leases: Pick<LeaseManager, 'devices'>
  readonly log: { fatal (facts: { readonly err: unknown }, message: string): void }
  /** Stops gracefully. */
  close (): Promise<unknown>
}

export type BuildApp = (options: {
  readonly config: Config
  readonly clock: Clock
  readonly ids: Ids
  readonly scheduler: Scheduler
  readonly logDestination: NodeJS.WritableStream
}) => Promise<ServedApp>

export interface ServeOptions {
  readonly sources: ConfigSources
  readonly buildApp: BuildApp
  readonly process: ServingProcess
  readonly clock: Clock
  readonly ids: Ids
  readonly scheduler: Scheduler
  /** Watches this process from outside its event loop, where it is one of its own. */
  readonly startWatchdog?: () => StallWatchdog
  /** Calls its listener when what started this process has ended without it. */
  readonly whenOrphaned?: (listener: () => void) => Cancel
}

/** @returns the code to exit with: 0 stopped on request, 1 failed, 2 wrong settings */
export async function serve (
  { sources, buildApp, process, clock, ids, scheduler, startWatchdog, whenOrphaned }: ServeOptions
): Promise<number> {
  const { stdout, stderr, platform } = process
  const config = settingsOf(sources, stderr)
  if (config === undefined) return 2
  for (const warning of config.warnings) stderr.write(`mooring: ${warning}\n`)

  const { host, port, allowedHosts, shutdownMs } = config.server
  const showStack = config.log.level === 'debug' || config.log.level === 'trace'
  let app: ServedApp | undefined
  const watchdog = startWatchdog?.()
  const shutdown = watchForShutdown({
    process,
    clock,
    scheduler,
    limitMs: shutdownMs,
    onSignal: () => stdout.write('mooring is stopping. Press Ctrl-C again to stop at once.\n'),
    onUncaught (error) {
      app?.log.fatal({ err: error }, 'uncaught error, stopping')
      stderr.write(unexpectedErrorText('stops because of an error', error, { showStack }))
    },
    onOverdue: () => stderr.write(`mooring cannot stop cleanly within ${shutdownMs} ms, and exits as it is.\n`),
    endWithin: (limitMs) => watchdog?.endWithin(limitMs)
  })
  const stopWatchingParent = whenOrphaned?.(shutdown.stop)

  try {
    app = await buildApp({ config, clock, ids, scheduler, logDestination: stderr })
    if (!shutdown.isRequested) await app.listen({ host, port })
    if (!shutdown.isRequested) await app.startUp()
    if (!shutdown.isRequested) {
      stdout.write(banner({
        version: packageVersion,
        url: endpointUrl({ host, port: portOf(app, port), allowedHosts }),
        token: { origin: config.server.token, file: config.server.tokenFile },
        devices: await app.leases.devices(),
        platform
      }))
    }
    await shutdown.requested
  } catch (error) {
    const expected = startUpErrorText(error, { host, port, platform })
    if (expected === undefined) app?.log.fatal({ err: error }, 'did not start')
    stderr.write(expected ?? unexpectedErrorText('did not start', error, { showStack }))
    shutdown.fail()
  }

  try {
    await app?.close()
  } catch (error) {
    app?.log.fatal({ err: error }, 'did not stop cleanly')
    stderr.write(unexpectedErrorText('did not stop cleanly', error, { showStack }))
    shutdown.fail()
  }
  stopWatchingParent?.()
  await watchdog?.stop()
  return shutdown.exitCode
}

function settingsOf (sources: ConfigSources, stderr: NodeJS.WritableStream): Config | undefined {
  try {
    return loadConfig(sources)
  } catch (error) {
    if (!(error instanceof ConfigRefusal)) throw error
    stderr.write(configErrorText(error))
    return undefined
  }
}

/** The port that was bound, which differs from the one asked for when that is 0. */
function portOf (app: ServedApp, asked: number): number {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : asked
}
