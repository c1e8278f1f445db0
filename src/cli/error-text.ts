/**
 * What the terminal says when mooring cannot start, or cannot go on.
 *
 * An expected "no" says what happened and what to do. Anything else is one line; its stack
 * shows only where the log does not hide details either.
 */
import type { ConfigRefusal } from '../config/config-refusal.ts'
import { Refusal } from '../refusals/refusal.ts'

export interface ListenSetting {
  readonly host: string
  readonly port: number
  readonly platform: NodeJS.Platform
}

/** All problems of a configuration, one a line. */
export function configErrorText (refusal: ConfigRefusal): string {
  const problems = refusal.problems.map(({ source, message }) => `  ${source}: ${message}\n`)
  return `mooring: ${refusal.message}\n${problems.join('')}${refusal.nextAction}\n`
}

/** Why mooring did not come up, where that was to be expected; undefined for any other error. */
export function startUpErrorText (error: unknown, setting: ListenSetting): string | undefined {
  if (error instanceof Refusal) return `mooring: ${error.message}\n${error.nextAction}\n`
  return listenErrorText(error, setting) ?? nativePartErrorText(error)
}

/** Something happened that mooring has no answer to; `showStack` says where in the code. */
export function unexpectedErrorText (what: string, error: unknown, { showStack }: { readonly showStack: boolean }): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  if (!showStack) return `mooring ${what}: ${line} (the log on stderr says more with --log-level debug)\n`
  return `mooring ${what}: ${line}\n${error instanceof Error ? `${error.stack}\n` : ''}`
}

function listenErrorText (error: unknown, { host, port, platform }: ListenSetting): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined

  const where = `mooring: cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}`
  switch (error.code) {
    case 'EADDRINUSE': return `${where}: another program, perhaps another mooring, uses this port.\n` +
      `See which one with \`${portUser(port, platform)}\`, and stop it,\n` +
      'or choose another port with --port (0 takes any free one).\n'
    case 'EACCES': return `${where}: this user may not use the port.\n` +
      'Choose one above 1023 with --port (0 takes any free one).\n'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': return `${where}: this machine has no such address.\n` +
      'Choose one of its own with --host (127.0.0.1 for this machine alone).\n'
    default: return undefined
  }
}

/** Parts in machine code are built at the installation, for the Node.js that installs them. */
function nativePartErrorText (error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const isOtherVersion = 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
  const isMissing = /^Could not locate the bindings file/.test(error.message)
  if (!(isOtherVersion || isMissing) || !error.message.includes('better_sqlite3')) return undefined
  const why = isMissing ? 'was not built when mooring was installed' : `was built for another version of Node.js than this ${process.version}`
  return `mooring: the database driver ${why}.\nRun \`npm rebuild better-sqlite3\` in the folder of mooring, with this Node.js.\n`
}

function portUser (port: number, platform: NodeJS.Platform): string {
  return platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`
}
