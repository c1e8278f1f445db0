import { openConnection, type Answer, type Connection } from './connection.ts'

export interface Burst {
  readonly requests: number
  readonly elapsedMs: number
  readonly latenciesMs: readonly number[]
}

/** Connections to one server, each with one request under way at a time. */
export interface LoadGenerator {
  /**
   * Keeps every connection busy for `durationMs`, then waits until all that was asked is answered.
   *
   * @throws when an answer is not like the first one, or a connection breaks
   */
  run (durationMs: number): Promise<Burst>
  close (): void
}

/**
 * Opens the connections and sends one request on each, which is not part of any burst.
 *
 * A process that sleeps until an answer comes has to be woken by its sender, which is
 * counted as the sender's time: some three microseconds for each answer. The slower a server,
 * the more often the load falls asleep, so all that slows it down is counted twice. With a core
 * of its own the load stays awake instead.
 */
export async function createLoadGenerator ({ port, request, connections: count, staysAwake }: {
  readonly port: number
  readonly request: Buffer
  readonly connections: number
  /** Whether it may use a whole core. */
  readonly staysAwake: boolean
}): Promise<LoadGenerator> {
  let fail: (error: Error) => void = () => {}
  const broken = new Promise<never>((_resolve, reject) => { fail = reject })
  broken.catch(() => {})
  const connections = await Promise.all(Array.from({ length: count }, async () => await openConnection(port, fail)))
  const [expected] = await Promise.race([broken, Promise.all(connections.map(sendOnce))])
  if (expected?.status !== 200) throw new Error(`a first request was answered with status ${String(expected?.status)}`)
  const expectedBytes = expected.bytes

  function sendOnce (connection: Connection): Promise<Answer> {
    return new Promise((resolve) => connection.send(request, resolve))
  }

  function keepBusy (connection: Connection, untilMs: number, latenciesMs: number[]): Promise<void> {
    return new Promise((resolve) => {
      let sentAtMs = 0
      const send = (): void => {
        sentAtMs = performance.now()
        connection.send(request, answered)
      }
      const answered = ({ status, bytes }: Answer): void => {
        const nowMs = performance.now()
        latenciesMs.push(nowMs - sentAtMs)
        if (status !== 200 || bytes !== expectedBytes) fail(new Error(`an answer had status ${status} and ${bytes} bytes instead of ${expectedBytes}`))
        else if (nowMs < untilMs) send()
        else resolve()
      }
      send()
    })
  }

  return {
    async run (durationMs) {
      const latenciesMs: number[] = []
      const startedAtMs = performance.now()
      const untilMs = startedAtMs + durationMs
      const sleep = staysAwake ? stayAwake() : () => {}
      try {
        await Promise.race([broken, Promise.all(connections.map((connection) => keepBusy(connection, untilMs, latenciesMs)))])
      } finally {
        sleep()
      }
      return { requests: latenciesMs.length, elapsedMs: performance.now() - startedAtMs, latenciesMs }
    },
    close () {
      for (const connection of connections) connection.close()
    }
  }
}

/** @returns what lets the process sleep again */
function stayAwake (): () => void {
  let isAwake = true
  const turn = (): void => { if (isAwake) setImmediate(turn) }
  turn()
  return () => { isAwake = false }
}
