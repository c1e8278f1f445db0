/**
 * Settings from `mooring.yaml`: groups as mappings, settings as in the schema. A key without a
 * value counts as unset. Everything that is wrong is named with line and column.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isAlias, isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import { nearestName } from '../refusals/nearest-name.ts'
import { yamlExcess } from '../text/yaml-budget.ts'
import type { ConfigProblem } from './config-refusal.ts'
import type { SaidSetting, SettingSource } from './setting-source.ts'
import { keysBelow, settings, type Setting } from './setting.ts'

const mostCharacters = 262_144
const mostLevels = 64
const mostAliases = 100
const mostParts = 10_000

/** @returns undefined when there is no such file */
export function readConfigFile (file: string): SettingSource | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') return undefined
    return { said: [], problems: [{ source: file, message: `cannot be read (${code})` }] }
  }
  return readConfigText(text, file)
}

function readConfigText (text: string, file: string): SettingSource {
  const said: SaidSetting[] = []
  const problems: ConfigProblem[] = []
  const lines = new LineCounter()
  const tooFar = text.length > mostCharacters ? mostCharacters : yamlExcess(text, { levels: mostLevels })?.at
  if (tooFar !== undefined) {
    const line = text.slice(0, tooFar).split('\n').length
    const message = text.length > mostCharacters ? `has more than ${mostCharacters} characters` : `is nested deeper than ${mostLevels} levels`
    return { said, problems: [{ source: `${file}:${line}`, message }] }
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })

  for (const { pos, message } of [...document.errors, ...document.warnings]) {
    const source = place(pos[0])
    // The parser says of one brace in several ways that it is not closed.
    if (!problems.some((problem) => problem.source === source)) problems.push({ source, message: `is no YAML: ${message}` })
  }
  if (problems.length === 0) readGroup(document.contents, [])
  return { said, problems }

  function readGroup (node: Node | null, keys: readonly string[]): void {
    const group = resolved(node, document)
    if (group === undefined) return
    if (!isMap(group)) {
      const what = keys.length === 0 ? 'the file' : keys.join('.')
      problems.push({ source: place(node?.range?.[0]), message: `${what} must be a group of settings, each on a line of its own` })
      return
    }
    for (const { key, value } of group.items) {
      readMember([...keys, isScalar(key) ? String(key.value) : String(key)], key as Node, value as Node | null)
    }
  }

  function readMember (keys: readonly string[], key: Node, value: Node | null): void {
    const path = keys.join('.')
    const setting = settingAt(keys)
    if (setting === undefined) {
      if (keysBelow(keys) !== undefined) readGroup(value, keys)
      else problems.push({ source: place(key.range?.[0]), message: `there is no setting ${path}${suggestion(keys)}` })
      return
    }

    const node = resolved(value, document)
    if (node === undefined) return
    const found = valueOf(node, document)
    if (found === undefined) problems.push({ source: `${place(key.range?.[0])} ${path}`, message: 'has aliases that contain themselves, or stand for too much' })
    else said.push({ setting, value: found.value, source: `${place(key.range?.[0])} ${path}`, base: dirname(file) })
  }

  function place (offset: number | undefined): string {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${file}:${line}:${col}`
  }
}

/** The setting below exactly these keys: a single key `server.port` is none. */
function settingAt (keys: readonly string[]): Setting | undefined {
  return settings.find((setting) => setting.keys.length === keys.length && setting.path === keys.join('.'))
}

/** The node itself, behind any alias; undefined when it is empty. */
function resolved (node: Node | null, document: Document): Node | undefined {
  const target = isAlias(node) ? node.resolve(document) : node
  return target === undefined || target === null || (isScalar(target) && target.value === null) ? undefined : target
}

/** @returns undefined where its aliases contain themselves, or are so many that writing them out would take for ever */
function valueOf (node: Node, document: Document): { readonly value: unknown } | undefined {
  try {
    const value: unknown = node.toJS(document, { maxAliasCount: mostAliases })
    return partsOf(value, mostLevels, mostParts) > mostParts ? undefined : { value }
  } catch (error) {
    // What the parser of YAML throws for an alias.
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

/** How many parts a value has, counted no further than to one more than `most`. What goes deeper than `levels` has too many. */
function partsOf (value: unknown, levels: number, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  if (levels === 0) return most + 1
  let parts = 1
  for (const member of Object.values(value)) {
    parts += partsOf(member, levels - 1, most - parts)
    if (parts > most) break
  }
  return parts
}

/** Looks among its siblings first, then for a setting that would be right elsewhere. */
function suggestion (keys: readonly string[]): string {
  if (keys.some((key) => key.includes('.'))) return nestingSuggestion(keys.join('.'))

  const group = keys.slice(0, -1)
  const name = keys.at(-1) ?? ''
  const sibling = nearestName(name, keysBelow(group) ?? [])
  if (sibling !== undefined) return `; did you mean ${[...group, sibling].join('.')}?`

  const elsewhere = settings.find(({ keys }) => keys.at(-1) === name)?.path ?? nearestName(keys.join('.'), settings.map(({ path }) => path))
  return elsewhere === undefined ? '' : `; did you mean ${elsewhere}?`
}

/** For a path that was written with dots instead of nested groups. */
function nestingSuggestion (path: string): string {
  const isGroup = keysBelow(path.split('.')) !== undefined
  const meant = isGroup ? path : nearestName(path, settings.map(({ path }) => path))
  return `; groups are nested${meant === undefined ? '' : `: write ${meant.split('.').reduceRight((inner, key) => `${key}: ${inner === '…' ? inner : `{ ${inner} }`}`, '…')}`}`
}
