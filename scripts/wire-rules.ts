/**
 * `docs/wire-rules.md`: every rule of the wire and the tests that cite it.
 *
 * A test cites a rule by its id, in its name or in a comment: `HDR-06`, or `LIST-01…05` for
 * several in a row. A rule that binds the server and that no test cites is a gap.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageRoot } from '../src/runtime/package-root.ts'

const rulesFile = z.record(z.string(), z.record(z.string().regex(/^[A-Z]+-\d\d$/), z.strictObject({
  level: z.enum(['must', 'should', 'may', 'project']),
  binds: z.array(z.enum(['server', 'client', 'gateway', 'host'])).min(1),
  says: z.string().min(1).max(140),
  comesWith: z.string().optional()
})))

export interface WireRule {
  readonly id: string
  readonly group: string
  readonly level: 'must' | 'should' | 'may' | 'project'
  /** The parties that have to keep it. */
  readonly binds: ReadonlyArray<'server' | 'client' | 'gateway' | 'host'>
  readonly says: string
  /** What it needs before it can bind any party; `undefined` when it binds now. */
  readonly comesWith: string | undefined
  /** Test files that cite it, as paths below `test/`. */
  readonly tests: readonly string[]
}

/** All rules, with the tests below `folder` that cite them. */
export function readWireRules (folder = join(packageRoot, 'test')): readonly WireRule[] {
  const groups = rulesFile.parse(parse(readFileSync(join(packageRoot, 'docs', 'wire-rules.yaml'), 'utf8')))
  const citations = readCitations(folder, '.test.ts')
  return Object.entries(groups).flatMap(([group, rules]) => Object.entries(rules).map(([id, { comesWith, ...rule }]) => ({
    id, group, ...rule, comesWith: comesWith ?? waitsFor(rule.binds), tests: citations.get(id) ?? []
  })))
}

/** mooring is a server first; the other duties begin where it calls servers itself. */
function waitsFor (binds: WireRule['binds']): string | undefined {
  return binds.includes('server') ? undefined : 'upstream servers'
}

/** Rules that bind now and that no test cites; `should` and `may` leave the choice. */
export function gapsOf (rules: readonly WireRule[]): readonly WireRule[] {
  return rules.filter(({ level, comesWith, tests }) => (level === 'must' || level === 'project') && comesWith === undefined && tests.length === 0)
}

/** Ids that code or tests cite and that are no rules, though their family has some. */
export function unknownCitations (rules: readonly WireRule[], folders = ['src', 'plugins', 'routes', 'test'].map((name) => join(packageRoot, name))): readonly string[] {
  const known = new Set(rules.map(({ id }) => id))
  const families = new Set(rules.map(({ id }) => familyOf(id)))
  const cited = folders.flatMap((folder) => [...readCitations(folder, '.ts').keys()])
  return [...new Set(cited)].filter((id) => families.has(familyOf(id)) && !known.has(id))
}

/** The page, as it should be on disk. */
export function wireRulesPage (rules: readonly WireRule[]): string {
  const gaps = gapsOf(rules)
  const groups = [...new Set(rules.map(({ group }) => group))]
  return [
    introduction,
    '## Gaps',
    '',
    gaps.length === 0 ? 'None: every MUST and every project rule that binds mooring now has a test.' : gaps.map(({ id, says }) => `- ${id}: ${says}`).join('\n'),
    '',
    ...groups.map((group) => section(group, rules.filter((rule) => rule.group === group)))
  ].join('\n')
}

const introduction = `# Rules of the wire

<!-- Generated from docs/wire-rules.yaml and the tests by \`npm run generate\`. Change them there. -->

What MCP asks of a server in both eras, 2026-07-28 and the revisions of 2025, and where the tests hold mooring to it. *Level* is the specification's word, or *project* where it leaves a choice and this is ours. The statements are short; the specification is what counts.
`

function section (group: string, rules: readonly WireRule[]): string {
  return [
    `## ${group}`,
    '',
    row(['Rule', 'Level', 'What it says', 'Binds', 'Tests']),
    row(Array(5).fill('---')),
    ...rules.map(({ id, level, says, binds, comesWith, tests }) => row([
      id, level, escapeMarkup(says), binds.join(', '), tests.length === 0 && comesWith !== undefined ? `comes with ${comesWith}` : testLinks(tests)
    ])),
    ''
  ].join('\n')
}

function testLinks (tests: readonly string[]): string {
  return tests.length === 0 ? '—' : tests.map((file) => `[${file.replace(/\.test\.ts$/, '')}](${posix.join('..', 'test', file)})`).join(', ')
}

/** In Markdown `_meta` and `_id` would begin an emphasis. */
function escapeMarkup (text: string): string {
  return text.replaceAll('_', '\\_').replaceAll('$', '\\$')
}

function row (cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function familyOf (id: string): string {
  return id.slice(0, id.indexOf('-'))
}

/** The files below `folder` that cite each id. */
function readCitations (folder: string, suffix: string): ReadonlyMap<string, readonly string[]> {
  const citations = new Map<string, string[]>()
  for (const file of filesIn(folder, suffix)) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const id of new Set(citedIn(text))) citations.set(id, [...citations.get(id) ?? [], file])
  }
  return citations
}

function filesIn (folder: string, suffix: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith(suffix) && !file.includes('node_modules/'))
    .sort()
}

function * citedIn (text: string): Generator<string> {
  for (const [, family = '', first = '', last = first] of text.matchAll(/\b([A-Z]+)-(\d\d)(?:…(?:[A-Z]+-)?(\d\d))?(?!\d)/g)) {
    for (let number = Number(first); number <= Number(last); number++) yield `${family}-${String(number).padStart(2, '0')}`
  }
}
