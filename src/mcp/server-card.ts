import type { Implementation } from '../protocol/encode-modern.ts'
import { packageVersion } from '../runtime/package-root.ts'

/** The server as it names itself in every modern result and in the legacy handshake. */
export const serverInfo: Implementation = {
  name: 'mooring',
  version: packageVersion,
  title: 'mooring',
  description: 'A shared pool of phones, leased to one agent at a time'
}

/** How an agent gets from nothing to driving a phone, for clients that show it to their model. */
export const instructions = [
  'mooring lends phones, one holder at a time.',
  'Call acquireDevice first and pass the returned lease to every other call.',
  'Look with observe: it lists the screen\'s elements with refs such as e5; act on them with tapOn, inputText, swipeOn and pressButton, which return the next screen.',
  'A lease moves on with each call and ends when it is not used; call releaseDevice when the work is done, so that the next one gets the phone.',
  'When a call is refused, its text says why and what to do next.'
].join(' ')
