import { settings, type Setting } from '../config/setting.ts'

const groupTitles: Readonly<Record<string, string>> = {
  '': 'General',
  server: 'Server',
  log: 'Log',
  legacy: 'Old clients',
  store: 'Storage',
  telemetry: 'Telemetry',
  subscriptions: 'Subscriptions',
  leases: 'Leases',
  devices: 'Devices'
}

const width = 78

/** What `mooring help` prints: the commands, and every setting as a flag. */
export function helpText (): string {
  const groups = new Map<string, Setting[]>([['', []]])
  for (const setting of settings) {
    const group = setting.keys.length === 1 ? '' : setting.keys[0] ?? ''
    groups.set(group, [...groups.get(group) ?? [], setting])
  }
  return [
    introduction,
    ...[...groups].map(([group, members]) => section(group, members)),
    'Settings can also be given as variables (--token-file is MOORING_TOKEN_FILE)\nand in mooring.yaml; docs/configuration.md has them all.\n'
  ].join('\n')
}

const introduction = `mooring: one MCP endpoint through which many agents share a pool of phones

Usage: mooring [command] [flags]

Commands
  serve     serve the phones over MCP; this is what happens without a command
  help      show this text
  version   show the version
`

function section (group: string, members: readonly Setting[]): string {
  const general = group === ''
    ? [
        entry('--config <path>', 'File with settings. Default: mooring.yaml in the working directory, else in the configuration folder of the user.'),
        entry('--help, --version', 'Show this text, or the version.')
      ]
    : []
  return `${groupTitles[group] ?? group}\n${[...general, ...members.map(describe)].join('')}`
}

function describe ({ flag, kind, defaultValue, description }: Setting): string {
  const isUnset = defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0)
  return entry(`${flag}${placeholders[kind]}`, isUnset || kind === 'boolean' ? description : `${description} Default: ${String(defaultValue)}.`)
}

const placeholders: Readonly<Record<Setting['kind'], string>> = {
  'whole number': ' <n>', number: ' <x>', boolean: '', choice: ' <name>', text: ' <text>', path: ' <path>', list: ' <a,b>'
}

/** A flag on a line of its own, what it does indented below. */
function entry (flag: string, text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width - 6) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return `  ${flag}\n${lines.map((line) => `      ${line}\n`).join('')}`
}
