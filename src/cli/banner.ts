import { isIPv6 } from 'node:net'
import { isLoopbackName } from '../auth/host-allow-list.ts'
import type { TokenOrigin } from '../auth/token-origin.ts'
import { tokenVariable } from '../config/read-variables.ts'
import type { PooledDevice } from '../leases/contract/lease-manager.ts'

export interface BannerFacts {
  readonly version: string
  readonly url: string
  readonly token: { readonly origin: TokenOrigin, readonly file: string }
  readonly devices: readonly PooledDevice[]
  readonly platform: NodeJS.Platform
}

const namedDevices = 4

/**
 * What the terminal shows once mooring is ready: where it is, what it serves, and what to
 * paste into a client. It names the token file and never the token, so that it may be
 * shown to every reader.
 */
export function banner ({ version, url, token, devices, platform }: BannerFacts): string {
  return `mooring ${version} is ready at ${url}

  devices     ${describeDevices(devices)}
  ${describeToken(token)}

Add it to a client. This is how Claude Code (.mcp.json) writes it:

${clientSettings(url)}

Cursor and VS Code write \${env:${tokenVariable}}, and VS Code "servers" for "mcpServers".
${howToSetToken(token, platform)}

Stop with Ctrl-C.
`
}

/**
 * The address of the endpoint: for clients on this machine where it listens everywhere, else
 * for those that can reach it, under a name that it answers to.
 */
export function endpointUrl (
  { host, port, allowedHosts }: { readonly host: string, readonly port: number, readonly allowedHosts: readonly string[] }
): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : isLoopbackName(host) ? host : allowedHosts[0] ?? host
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}/mcp`
}

function describeToken ({ origin, file }: BannerFacts['token']): string {
  switch (origin) {
    case 'new': return `token file  ${file} (new at every start)`
    case 'keep': return `token file  ${file} (kept over restarts)`
    case 'file': return `token file  ${file} (yours, read at the start)`
    case 'variable': return `token       the one in ${tokenVariable}`
  }
}

function howToSetToken ({ origin, file }: BannerFacts['token'], platform: NodeJS.Platform): string {
  return origin === 'variable'
    ? `Start the client where ${tokenVariable} holds the same token.`
    : `Start the client where this has set the token:\n\n  ${exportToken(file, platform)}`
}

function describeDevices (devices: readonly PooledDevice[]): string {
  if (devices.length === 0) return 'none'
  const named = devices.slice(0, namedDevices).map(({ description: { id, kind, platform, osVersion } }) => `${id} (${kind}, ${systems[platform]} ${osVersion})`)
  const more = devices.length - named.length
  return `${devices.length}: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

const systems = { android: 'Android', ios: 'iOS' }

function clientSettings (url: string): string {
  const server = { type: 'http', url, headers: { Authorization: `Bearer \${${tokenVariable}}` } }
  return JSON.stringify({ mcpServers: { mooring: server } }, null, 2)
}

function exportToken (file: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return `$env:${tokenVariable} = (Get-Content '${file.replaceAll("'", "''")}').Trim()`
  const quoted = /^[\w./@+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`
  return `export ${tokenVariable}="$(cat ${quoted})"`
}
