import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'
import { packageRoot } from '../../src/runtime/package-root.ts'

const folder = join(packageRoot, 'dist', 'coverage')
const measured = ['src', 'plugins', 'routes'] as const

const share = z.object({ total: z.number(), covered: z.number() })
const summary = z.record(z.string(), z.object({ lines: share, branches: share, functions: share }))

export type CoverageSummary = z.output<typeof summary>

/**
 * Where processes that Node.js starts with `NODE_V8_COVERAGE` leave what they ran, made empty.
 * The processes that those start do the same.
 */
export function emptyCoverageFolder (): string {
  rmSync(folder, { recursive: true, force: true })
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  return data
}

/** Sums up what was left there: pages to browse in `dist/coverage`, and a table of the rooms. */
export function reportCoverage (): string {
  const places = measured.flatMap((place) => ['--src', join('dist', place), '--include', `dist/${place}/**/*.js`])
  execFileSync(process.execPath, [
    join(packageRoot, 'node_modules', 'c8', 'bin', 'c8.js'), 'report', '--temp-directory', join(folder, 'data'), '--merge-async', '--all', ...places,
    '--reporter', 'json-summary', '--reporter', 'html', '--reports-dir', folder
  ], { cwd: packageRoot, stdio: ['ignore', 'ignore', 'inherit'] })
  return coverageTable(summary.parse(JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'))), packageRoot)
}

/** A line for each room of `src`, for `src` itself, `plugins` and `routes`, and one for them all. */
export function coverageTable (files: CoverageSummary, root: string): string {
  const rooms = new Map<string, Sums>()
  for (const [file, shares] of Object.entries(files)) {
    const room = file === 'total' ? 'all' : roomOf(relative(root, file).split(sep))
    const sums = rooms.get(room) ?? { lines: nothing, branches: nothing, functions: nothing }
    rooms.set(room, { lines: sum(sums.lines, shares.lines), branches: sum(sums.branches, shares.branches), functions: sum(sums.functions, shares.functions) })
  }
  const names = [...rooms.keys()].filter((room) => room !== 'all').sort()
  const lines = [...names, 'all'].flatMap((room) => {
    const sums = rooms.get(room)
    return sums === undefined ? [] : [`${room.padEnd(16)}${percent(sums.lines)}${percent(sums.branches)}${percent(sums.functions)}`]
  })
  return [`${'covered'.padEnd(16)}${['lines', 'branches', 'functions'].map((what) => what.padStart(11)).join('')}`, ...lines].join('\n')
}

type Share = z.output<typeof share>
interface Sums { readonly lines: Share, readonly branches: Share, readonly functions: Share }

const nothing: Share = { total: 0, covered: 0 }

function roomOf ([top = '', room = '', ...rest]: readonly string[]): string {
  return top === 'src' && rest.length > 0 ? `src/${room}` : top
}

function sum (one: Share, other: Share): Share {
  return { total: one.total + other.total, covered: one.covered + other.covered }
}

function percent ({ total, covered }: Share): string {
  return `${(total === 0 ? 100 : covered / total * 100).toFixed(1)} %`.padStart(11)
}
