import { configJsonSchema, settings, type Setting } from './setting.ts'

/** `mooring.schema.json`, which gives editors completion and checks for `mooring.yaml`. */
export function configSchemaFile (): string {
  const { $schema, ...rest } = configJsonSchema
  return `${JSON.stringify({ $schema, title: 'mooring.yaml', description: 'Settings of mooring.', ...rest }, null, 2)}\n`
}

/** `docs/configuration.md`. */
export function configurationPage (): string {
  const groups = new Map<string, Setting[]>()
  for (const setting of settings) {
    const group = setting.keys.slice(0, -1).join('.')
    groups.set(group, [...groups.get(group) ?? [], setting])
  }
  return [introduction, ...[...groups].map(([group, members]) => section(group, members))].join('\n')
}

const introduction = `# Configuration

<!-- Generated from the settings in src/ by \`npm run generate\`. Change them there. -->

mooring runs without any configuration. What you set, it takes from these places; a later one outranks an earlier one:

1. the defaults below
2. one file: the one of \`--config\` or \`MOORING_CONFIG\`, else \`mooring.yaml\` in the working directory, else \`$XDG_CONFIG_HOME/mooring/mooring.yaml\` (\`~/.config/…\`, on Windows \`%APPDATA%\\mooring\\mooring.yaml\`)
3. variables
4. flags

\`\`\`yaml
# yaml-language-server: $schema=./mooring.schema.json
server:
  port: 9000
log:
  level: debug
\`\`\`

In variables and flags, separate the items of a list with commas. A switch is set with \`--name\` and cleared with \`--no-name\`. An empty variable counts as unset. OpenTelemetry's own variables that the tables name count like the variables beside them, which outrank them; what they ask for and mooring does not have, such as gRPC, is passed over. Relative paths are seen from the folder of the file that says them, in variables and flags from the working directory; \`~/\` is your home folder.

Unknown keys, variables and flags are errors: mooring names them all, with the nearest name it knows, and exits with 2. \`MOORING_TOKEN\` is for clients; the server passes it over, unless \`server.token\` says that its token is there. On Kubernetes, set \`enableServiceLinks: false\` for a pod that runs next to a service called \`mooring\`; otherwise \`MOORING_PORT\` holds that service's address.
`

function section (group: string, members: readonly Setting[]): string {
  const rows = members.map(({ path, flag, variable, defaultValue, allowed, description }) => row([
    code(path), code(flag), code(variable), defaultText(defaultValue), allowed, description
  ]))
  return [
    `## ${group === '' ? 'General' : code(group)}`,
    '',
    row(['Key', 'Flag', 'Variable', 'Default', 'Allowed', 'Meaning']),
    row(Array(6).fill('---')),
    ...rows,
    ''
  ].join('\n')
}

function defaultText (value: unknown): string {
  if (value === undefined) return '—'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : code(value.join(','))
  return code(String(value))
}

function code (text: string): string {
  return `\`${text}\``
}

function row (cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
