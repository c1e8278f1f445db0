// What lies between a gateway and its database, and can fail in every way a network can.
import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'

export interface UnreliableNetwork {
  /** The address of the database as seen through it. */
  readonly url: string
  /** How many connections go through it. */
  readonly connections: number
  /** Breaks all connections, and lets none through until it is mended. */
  cut (): void
  /** Lets no new connection through until it is mended; those that there are go on. */
  shut (): void
  /** Nothing arrives any more, in either direction, and neither side is told. */
  silence (): void
  mend (): void
  /** Breaks the connection that carries this text to the database, once: before the text or after it. */
  cutAt (text: string, when: 'before' | 'after'): void
  close (): Promise<void>
}

export async function unreliableNetwork (databaseUrl: string): Promise<UnreliableNetwork> {
  const target = new URL(databaseUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'sound' | 'shut' | 'cut' | 'silent' = 'sound'
  let trap: { readonly text: string, readonly when: 'before' | 'after' } | undefined

  const server = createServer((near) => {
    near.on('error', () => {})
    if (state === 'cut' || state === 'shut') {
      near.destroy()
      return
    }
    const far = connect(Number(target.port || 5432), target.hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    far.on('error', end).on('close', end).on('data', (data) => { if (state !== 'silent') near.write(data) })
    near.on('close', end).on('data', (data) => {
      if (state === 'silent') return
      if (trap === undefined || !data.includes(trap.text)) {
        far.write(data)
        return
      }
      const { when } = trap
      trap = undefined
      if (when === 'before') {
        end()
        return
      }
      // The database has it, and its answer gets lost.
      near.destroy()
      pairs.delete(pair)
      far.removeAllListeners('data').on('data', () => far.destroy())
      far.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the network has no address')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)

  return {
    url: url.href,
    get connections () { return pairs.size },
    cut () {
      state = 'cut'
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
    },
    shut () { state = 'shut' },
    silence () { state = 'silent' },
    mend () {
      // What was lost in the silence stays lost: such connections are of no use any more.
      if (state === 'silent') for (const [near] of pairs) near.destroy()
      state = 'sound'
    },
    cutAt (text, when) { trap = { text, when } },
    async close () {
      for (const [near] of pairs) near.destroy()
      server.close()
      await once(server, 'close')
    }
  }
}
