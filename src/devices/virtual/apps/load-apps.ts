import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { cut, shorten } from '../../../text/quote.ts'
import { packageRoot } from '../../../runtime/package-root.ts'
import { AppFileRefusal, AppsFolderRefusal } from './app-file-refusals.ts'
import { appSchema, type AppDefinition } from './app-definition.ts'
import { checkReferences, mostProblems, type AppProblem, type FoundProblems } from './check-references.ts'
import { readYaml } from './read-yaml.ts'

/** The apps that come with mooring. */
export const sampleAppsFolder = join(packageRoot, 'virtual-apps')

const largestFileBytes = 1_048_576

/** An app, and the file it came from. */
interface LoadedApp { readonly app: AppDefinition, readonly file: string }

/** The sample apps do not change while mooring runs, so a process reads them once, however many pools it makes. */
let samples: readonly LoadedApp[] | undefined

/**
 * Loads every `.yaml` and `.yml` file of the folders, sorted by app id. An app in a later
 * folder takes the place of one with the same id in an earlier folder.
 *
 * @throws {AppFileRefusal} naming the file and the place in it
 * @throws {AppsFolderRefusal} when a folder cannot be read
 */
export function loadApps (folders: readonly string[]): AppDefinition[] {
  const apps = new Map<string, LoadedApp>()
  for (const folder of folders) {
    const here = folder === sampleAppsFolder ? (samples ??= appsOf(folder)) : appsOf(folder)
    for (const loaded of here) apps.set(loaded.app.id, loaded)
  }
  const installed = new Set(apps.keys())
  for (const { app, file } of apps.values()) refuseProblems(file, checkReferences(app, installed))
  return [...apps.values()].map(({ app }) => app).sort((one, other) => (one.id < other.id ? -1 : 1))
}

function appsOf (folder: string): LoadedApp[] {
  const apps = new Map<string, LoadedApp>()
  for (const file of appFilesOf(folder)) {
    const app = parseApp(readAppFile(file), file)
    const other = apps.get(app.id)
    if (other !== undefined) throw new AppFileRefusal(file, [{ path: 'id', problem: `"${app.id}" is also the id of ${other.file}` }])
    apps.set(app.id, { app, file })
  }
  return [...apps.values()]
}

/**
 * Checks the text of one app file.
 *
 * @param options.allowsAliases whether YAML aliases may save writing; not in what callers send
 * @throws {AppFileRefusal} naming the file and the place in it
 */
export function parseApp (text: string, file: string, { allowsAliases = true }: { readonly allowsAliases?: boolean } = {}): AppDefinition {
  const source = readYaml(text, { allowsAliases })
  if (!source.ok) throw new AppFileRefusal(file, [{ path: '', problem: source.problem }])
  const checked = appSchema.safeParse(source.value)
  if (!checked.success) throw new AppFileRefusal(file, checked.error.issues.slice(0, mostProblems).map(toProblem), checked.error.issues.length)
  refuseProblems(file, checkReferences(checked.data))
  return checked.data
}

/**
 * Reads an app file.
 *
 * @param name what refusals call it
 * @throws {AppFileRefusal} it cannot be read, or is larger than any app
 */
export function readAppFile (file: string, name = file): string {
  try {
    if (statSync(file).size <= largestFileBytes) return readFileSync(file, 'utf8')
  } catch (error) {
    // What the system says has the path in it, which is not for readers that were given another name.
    const why = name === file ? `: ${error instanceof Error ? error.message : String(error)}` : ''
    throw new AppFileRefusal(name, [{ path: '', problem: `it cannot be read${why}` }])
  }
  throw new AppFileRefusal(name, [{ path: '', problem: `larger than ${largestFileBytes} bytes` }])
}

function appFilesOf (folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort().map((name) => join(folder, name))
  } catch (error) {
    throw new AppsFolderRefusal(folder, error)
  }
}

function refuseProblems (file: string, { problems, count }: FoundProblems): void {
  if (count > 0) throw new AppFileRefusal(file, problems, count)
}

function toProblem ({ path, message }: z.core.$ZodIssue): AppProblem {
  const steps = path.map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
  return { path: cut(steps.join(''), 200), problem: shorten(message, 300) }
}
