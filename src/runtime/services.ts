/**
 * Parts that start in an order and stop in the reverse of it.
 *
 *   idle      nothing has been started
 *   starting  one service after the other starts
 *   started   all of them run
 *   stopped   final; every service whose start was begun has been stopped
 *
 * A start that fails, or that is told to stop half-way, moves from `starting` to `stopped`. The
 * service whose start failed is stopped too: it may have opened something before it failed.
 */
export interface Service {
  /** The name of the service in errors and log lines. */
  readonly name: string
  /** `signal` aborts when the services are told to stop before all of them have started. */
  start (signal: AbortSignal): Promise<void>
  /** Called once, and only after `start`, whether that succeeded or not. */
  stop (): Promise<void>
}

export interface Services {
  /**
   * Starts all services, one after the other; may be called once.
   *
   * @throws what a service throws; everything is stopped by then
   */
  start (): Promise<void>
  /**
   * Stops all services, the last one first. Each is stopped whatever became of the others; a
   * further call waits for the first.
   *
   * @throws what a service throws, or an `AggregateError` when several do
   */
  stop (): Promise<void>
}

export interface ServicesLog {
  error (facts: object, message: string): void
}

export function createServices (services: readonly Service[], log: ServicesLog): Services {
  const begun: Service[] = []
  const givenUp = new AbortController()
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined

  async function startAll (): Promise<void> {
    try {
      for (const service of services) {
        givenUp.signal.throwIfAborted()
        begun.push(service)
        await service.start(givenUp.signal)
      }
      givenUp.signal.throwIfAborted()
    } catch (error) {
      for (const { name, fault } of await stopBegun()) {
        log.error({ err: fault, service: name }, 'a service did not stop cleanly after a failed start')
      }
      throw error
    }
  }

  async function stopBegun (): Promise<ReadonlyArray<{ readonly name: string, readonly fault: unknown }>> {
    const faults = []
    for (let service = begun.pop(); service !== undefined; service = begun.pop()) {
      try {
        await service.stop()
      } catch (fault) {
        faults.push({ name: service.name, fault })
      }
    }
    return faults
  }

  async function stopAll (): Promise<void> {
    givenUp.abort(new Error('stopped before the start was over'))
    // A start that fails stops what it began, and says why to the caller of `start`.
    await starting?.catch(() => {})
    const [first, ...more] = await stopBegun()
    if (more.length > 0) throw new AggregateError([first, ...more].map((one) => one?.fault), 'several services did not stop cleanly')
    if (first !== undefined) throw first.fault
  }

  return {
    async start () {
      if (starting !== undefined) throw new Error('services start once')
      starting = startAll()
      await starting
    },
    async stop () {
      stopping ??= stopAll()
      await stopping
    }
  }
}

/** A service that opens something when it starts, has it until it stops, and closes it then. */
export interface Opening<T> extends Service {
  /** @throws {Error} before the start */
  readonly opened: T
}

export function opening<T extends object> ({ name, open, close = async () => {} }: {
  readonly name: string
  /** Closes by itself what it has opened when it fails. */
  readonly open: (signal: AbortSignal) => T | Promise<T>
  readonly close?: (opened: T) => Promise<void>
}): Opening<T> {
  let opened: T | undefined

  return {
    name,
    get opened () {
      if (opened === undefined) throw new Error(`${name}: not started`)
      return opened
    },
    async start (signal) {
      opened = await open(signal)
    },
    async stop () {
      if (opened !== undefined) await close(opened)
    }
  }
}
