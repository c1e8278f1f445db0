/**
 * YAML from outside, read in time and memory that grow with its length and with nothing else.
 *
 * The parser itself takes time that grows with the square of the keys of one map, looking for
 * twins, and an alias can stand for any amount of text. So twins are looked for here, aliases
 * are refused where a caller sent the text, and so is what has too many parts or goes too deep.
 */
import { isAlias, isMap, isScalar, LineCounter, parseDocument, visit, type Node } from 'yaml'
import { yamlExcess } from '../../../text/yaml-budget.ts'

const mostParts = 100_000
/** In what a caller sent. An app of 64 KB that is written like the sample apps has 26,000. */
const mostLexemes = 28_000
const deepest = 64
const mostAliases = 100

export type ReadYaml = { readonly ok: true, readonly value: unknown } | { readonly ok: false, readonly problem: string }

/** Reads one document. */
export function readYaml (text: string, { allowsAliases }: { readonly allowsAliases: boolean }): ReadYaml {
  try {
    return read(text, allowsAliases)
  } catch (error) {
    // The parser goes as deep as the text does, and the stack may not.
    if (error instanceof RangeError) return { ok: false, problem: tooDeep }
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

const tooDeep = `nested deeper than ${deepest} levels`

function read (text: string, allowsAliases: boolean): ReadYaml {
  const lines = new LineCounter()
  const excess = yamlExcess(text, allowsAliases ? { levels: deepest } : { levels: deepest, lexemes: mostLexemes })
  if (excess !== undefined) {
    const problem = excess.of === 'levels' ? tooDeep : `more than ${mostLexemes} words and marks, the last`
    return { ok: false, problem: `${problem} at line ${text.slice(0, excess.at).split('\n').length}` }
  }
  const document = parseDocument(text, { uniqueKeys: false, lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) return { ok: false, problem: `${error.message} at line ${lines.linePos(error.pos[0]).line}` }

  let problem: string | undefined
  let parts = 0
  let aliases = 0
  visit(document, (_key, node, path) => {
    parts += 1
    if (isAlias(node)) aliases += 1
    if (parts > mostParts) problem = `more than ${mostParts} parts`
    // Pairs and maps take a level each.
    else if (path.length > 2 * deepest) problem = tooDeep
    else if (isAlias(node) && (!allowsAliases || aliases > mostAliases)) problem = `an alias (*${node.source}) at line ${lineOf(node, lines)}: write it out`
    else if (isMap(node)) {
      const seen = new Set<unknown>()
      for (const { key } of node.items) {
        const name = isScalar(key) ? key.value : undefined
        if (name !== undefined && seen.has(name)) problem = `the key ${JSON.stringify(String(name).slice(0, 60))} stands twice in the map at line ${lineOf(node, lines)}`
        seen.add(name)
      }
    }
    return problem === undefined ? undefined : visit.BREAK
  })
  if (problem !== undefined) return { ok: false, problem }
  const value: unknown = document.toJS({ maxAliasCount: mostAliases })
  return isDeeperThan(value, deepest) ? { ok: false, problem: tooDeep } : { ok: true, value }
}

function lineOf (node: Node, lines: LineCounter): number {
  return lines.linePos(node.range?.[0] ?? 0).line
}

function isDeeperThan (value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}
