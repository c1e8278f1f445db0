import { helpText } from './help-text.ts'
import { serve, type ServeOptions } from './serve.ts'
import { nearestName } from '../refusals/nearest-name.ts'
import { packageVersion } from '../runtime/package-root.ts'

const commands = ['serve', 'help', 'version'] as const
type Command = (typeof commands)[number]

/**
 * Runs the command that the arguments name, `serve` when they name none.
 *
 * @returns the code to exit with: 0 done, 1 failed, 2 the arguments or settings are wrong
 */
export async function runCommand (options: ServeOptions): Promise<number> {
  const { process: { stdout, stderr }, sources } = options
  // The reader may have left, as in `mooring | head -1`. That is no reason to drop the phones.
  stdout.on('error', () => {})
  stderr.on('error', () => {})

  const [first = '', ...rest] = sources.argv
  const isNamed = first !== '' && !first.startsWith('-')
  const command = isNamed ? commands.find((name) => name === first) : 'serve'
  if (command === undefined) {
    const nearest = nearestName(first, commands)
    stderr.write(`mooring: there is no command ${first}${nearest === undefined ? '' : `; did you mean ${nearest}?`}\nRun \`mooring help\` to see the commands.\n`)
    return 2
  }

  const flags = isNamed ? rest : sources.argv
  switch (askedInstead(flags) ?? command) {
    case 'help':
      stdout.write(helpText())
      return 0
    case 'version':
      stdout.write(`${packageVersion}\n`)
      return 0
    case 'serve':
      return await serve({ ...options, sources: { ...sources, argv: flags } })
  }
}

/** `--help` and `--version` win over whatever else is asked for. */
function askedInstead (flags: readonly string[]): Command | undefined {
  if (flags.includes('--help') || flags.includes('-h')) return 'help'
  if (flags.includes('--version') || flags.includes('-v')) return 'version'
  return undefined
}
