import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of mooring's own package.json: data files (migrations, sample apps) are found
 * from here, whether the code runs from `src/` or from `dist/src/`.
 */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)))

/** The version in package.json. */
export const packageVersion = readVersion()

function findPackageRoot (folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  return findPackageRoot(dirname(folder))
}

function readVersion (): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string') {
    return manifest.version
  }
  throw new Error('package.json has no version')
}
