import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where things of this user go on this machine, unless a setting says otherwise. */
export interface Folders {
  /** For what mooring keeps: its database and the token file. */
  readonly state: string
  /** For `mooring.yaml`, where the working directory has none. */
  readonly config: string
  /** What `~/` at the beginning of a path stands for. */
  readonly home: string
}

/** The XDG folders, and on Windows their likes; a relative XDG variable counts as unset. */
export function findFolders ({ env, platform }: { readonly env: Environment, readonly platform: NodeJS.Platform }): Folders {
  const home = absolute(env.HOME) ?? homedir()

  if (platform === 'win32') {
    return {
      state: join(absolute(env.LOCALAPPDATA) ?? join(home, 'AppData', 'Local'), 'mooring'),
      config: join(absolute(env.APPDATA) ?? join(home, 'AppData', 'Roaming'), 'mooring'),
      home
    }
  }
  return {
    state: join(absolute(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'mooring'),
    config: join(absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'mooring'),
    home
  }
}

/** `path` as seen from `base`, with `~/` for the home folder, since a file has no shell to say so. */
export function resolvePath (path: string, { base, home }: { readonly base: string, readonly home: string }): string {
  return /^~(?=[/\\]|$)/.test(path) ? join(home, path.slice(1)) : resolve(base, path)
}

function absolute (path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
