/**
 * The settings one by one, with the names they go by.
 *
 * One rule makes a flag and a variable of a setting's path: the group `server` is dropped,
 * what remains is written in kebab case behind `--`, or in capitals behind `MOORING_`.
 * `server.tokenFile` is `--token-file` and `MOORING_TOKEN_FILE`, `leases.ttlMs` is
 * `--leases-ttl-ms` and `MOORING_LEASES_TTL_MS`. The group stays in `--server-token` and
 * `MOORING_SERVER_TOKEN`, because `MOORING_TOKEN` is the token itself.
 *
 * A setting whose name ends in Dir, File or Folder is a path: a relative one is seen from the
 * folder of the file that says it, or from the working directory, and `~/` is the home folder.
 */
import { z } from 'zod'
import { nearestName } from '../refusals/nearest-name.ts'
import { configSchema } from './config-schema.ts'

/** How a value is written: a list is texts between commas. */
export type SettingKind = 'whole number' | 'number' | 'boolean' | 'choice' | 'text' | 'path' | 'list'

export interface Setting {
  /** As in `mooring.yaml`, joined by dots: `server.port`. */
  readonly path: string
  readonly keys: readonly string[]
  /** With its dashes: `--port`. */
  readonly flag: string
  readonly variable: string
  readonly kind: SettingKind
  /** What a value must be, to read after "must be". */
  readonly allowed: string
  readonly description: string
  /** Undefined where there is none, or where it depends on the machine. */
  readonly defaultValue: unknown
  /** Whether a value is likely to be a secret, or to have one in it, and so is never repeated. */
  readonly isSecret: boolean
}

type Node = z.core.JSONSchema.BaseSchema

/** The JSON Schema of `mooring.yaml`, for editors. */
export const configJsonSchema: Node = z.toJSONSchema(configSchema, {
  target: 'draft-7',
  // What a file may say, not what the program gets.
  io: 'input',
  override ({ jsonSchema }) {
    // That a group may be left out needs no default in an editor.
    if (jsonSchema.type === 'object') delete jsonSchema.default
  }
})

/** Every setting, in the order of the schema. */
export const settings: readonly Setting[] = listSettings(configJsonSchema, [])

/** Under what flags and variables are looked for: their own names, and those with the group's. */
const spellings: ReadonlyMap<string, Setting> = new Map(settings.flatMap((setting) => [
  [kebab(setting.keys), setting], [setting.flag.slice(2), setting]
]))

/** The setting that a flag or variable, without its `--` or `MOORING_`, most likely means. */
export function nearestSetting (name: string): Setting | undefined {
  return spellings.get(nearestName(name.replaceAll('_', '-'), spellings.keys()) ?? '')
}

/** The names of the groups and settings that may stand in `mooring.yaml` below `keys`. */
export function keysBelow (keys: readonly string[]): readonly string[] | undefined {
  let node: Node | undefined = configJsonSchema
  for (const key of keys) node = membersOf(node)?.[key]
  const members = membersOf(node)
  return members === undefined ? undefined : Object.keys(members)
}

function listSettings (node: Node, keys: readonly string[]): readonly Setting[] {
  const members = membersOf(node)
  if (members === undefined) return [describeSetting(node, keys)]
  return Object.entries(members).flatMap(([key, member]) => listSettings(member, [...keys, key]))
}

function membersOf (node: Node | undefined): Readonly<Record<string, Node>> | undefined {
  return node?.type === 'object' ? node.properties as Record<string, Node> | undefined : undefined
}

function describeSetting (node: Node, keys: readonly string[]): Setting {
  const short = kebab(keys[0] === 'server' ? keys.slice(1) : keys)
  const name = short === 'token' ? kebab(keys) : short
  const kind = kindOf(node, keys)
  return {
    path: keys.join('.'),
    keys,
    flag: `--${name}`,
    variable: `MOORING_${name.replaceAll('-', '_').toUpperCase()}`,
    kind,
    allowed: allowedBy(node, kind),
    description: node.description ?? '',
    defaultValue: node.default,
    isSecret: node.writeOnly === true
  }
}

function kebab (keys: readonly string[]): string {
  return keys.flatMap((key) => key.split(/(?=[A-Z])/)).join('-').toLowerCase()
}

function kindOf (node: Node, keys: readonly string[]): SettingKind {
  if (node.enum !== undefined) return 'choice'
  switch (node.type) {
    case 'integer': return 'whole number'
    case 'number': return 'number'
    case 'boolean': return 'boolean'
    case 'string': return /(?:Dir|File|Folder)$/.test(keys.at(-1) ?? '') ? 'path' : 'text'
    case 'array': return 'list'
    default: throw new Error(`${keys.join('.')} is of a kind that no source can say`)
  }
}

function allowedBy (node: Node, kind: SettingKind): string {
  switch (kind) {
    case 'whole number':
    case 'number': {
      const { minimum = -Infinity, maximum = Infinity } = node
      return maximum < Number.MAX_SAFE_INTEGER ? `a ${kind} from ${minimum} to ${maximum}` : `a ${kind} of ${minimum} or more`
    }
    case 'boolean': return 'true or false'
    case 'choice': return `one of ${(node.enum ?? []).join(', ')}`
    case 'text': return 'a text that is not empty'
    case 'path': return 'a path'
    case 'list': return 'a list of texts'
  }
}
