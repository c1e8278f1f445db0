/**
 * Whether `npm start` of this package started the process. A script of another package may have
 * put it into the background on purpose.
 */
export function isNpmStart (env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env['npm_lifecycle_event'] === 'start' && env['npm_package_name'] === 'mooring'
}
