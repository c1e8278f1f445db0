import type { Server } from 'node:net'

/** The port a listening server was given. */
export function portOf (server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
