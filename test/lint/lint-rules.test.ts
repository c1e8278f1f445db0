import t from 'tap'
import { startLinter } from './linter.ts'

const linter = startLinter()
const { complaints } = linter
t.teardown(() => linter.close())

t.test('a room must not see a room to its right, and is told which ones it may see', async (t) => {
  const refused = [
    ['src/refusals/x.ts', '../runtime/clock.ts'],
    ['src/protocol/x.ts', '../leases/lease.ts'],
    ['src/devices/x.ts', '../leases/lease.ts'],
    ['src/devices/virtual/x.ts', '../../tools/tool-definition.ts'],
    ['src/leases/x.ts', '../tasks/task.ts'],
    ['src/leases/x.ts', '../store/open-store.ts'],
    ['src/events/x.ts', '../leases/lease.ts'],
    ['src/upstreams/x.ts', '../devices/device-driver.ts'],
    ['src/auth/x.ts', '../mcp/dispatcher.ts'],
    ['src/tasks/x.ts', '../tools/tool-definition.ts'],
    ['src/store/sqlite/x.ts', '../../tools/tool-definition.ts'],
    ['src/tools/x.ts', '../store/open-store.ts'],
    ['src/tools/x.ts', '../config/load-config.ts'],
    ['src/mcp/x.ts', '../config/load-config.ts'],
    ['src/config/x.ts', '../cli/help-text.ts'],
    ['src/mcp/x.ts', '../mooring/create-mooring.ts'],
    ['src/mooring/x.ts', '../cli/help-text.ts']
  ] as const

  for (const [file, source] of refused) {
    const [complaint, ...more] = await complaints(`import type { X } from '${source}'\n\nexport type Y = X\n`, file)
    t.match(complaint, /^no-restricted-imports: .* may import from /, `${file} must not see ${source}`)
    t.same(more, [])
  }
})

t.test('a room may see its own files and the rooms to its left', async (t) => {
  const allowed = [
    ['src/leases/x.ts', './lease.ts'],
    ['src/leases/x.ts', '../devices/device-driver.ts'],
    ['src/tasks/x.ts', '../leases/lease.ts'],
    ['src/devices/virtual/x.ts', '../device-driver.ts'],
    ['src/devices/virtual/x.ts', '../../protocol/principal.ts'],
    ['src/store/sqlite/x.ts', '../../leases/lease-store.ts'],
    ['src/tools/x.ts', '../leases/lease-manager.ts'],
    ['src/mcp/x.ts', '../tools/tool-definition.ts'],
    ['src/config/x.ts', '../devices/virtual/virtual-settings.ts'],
    ['src/mooring/x.ts', '../store/open-store.ts']
  ] as const

  for (const [file, source] of allowed) {
    t.same(await complaints(`import type { X } from '${source}'\n\nexport type Y = X\n`, file), [], `${file} sees ${source}`)
  }
})

t.test('no room sees Fastify, plugins, routes or the app', async (t) => {
  const rooms = ['runtime', 'refusals', 'protocol', 'devices', 'events', 'auth', 'telemetry', 'leases', 'tasks', 'upstreams', 'store', 'tools', 'mcp', 'config', 'mooring']
  const outside = ['fastify', 'fastify-plugin', '@fastify/sse', '../../plugins/mooring.ts', '../../routes/mcp.ts', '../app.ts', '../build-http.ts']
  const code = outside.map((source) => `import '${source}'\n`).join('')

  for (const room of rooms) {
    const found = await complaints(code, `src/${room}/x.ts`)
    t.equal(found.filter((complaint) => complaint.startsWith('no-restricted-imports: ') && complaint.includes('Rooms know nothing of')).length, outside.length, room)
  }

  t.same(await complaints(code, 'src/cli/x.ts'), [], 'the command stands in front of them')
})

t.test('only the devices room and the settings see what is inside a driver', async (t) => {
  for (const room of ['leases', 'store', 'tools', 'mcp', 'mooring']) {
    const [complaint] = await complaints("import '../devices/virtual/virtual-phone.ts'\n", `src/${room}/x.ts`)
    t.match(complaint, /Use the DeviceDriver interface/, room)
  }
})

const forbidden: Readonly<Record<string, { readonly instead: RegExp, readonly code: readonly string[] }>> = {
  'the time': {
    instead: /Take a Clock/,
    code: ['export const x = Date.now()\n', 'export const x = new Date()\n', 'export const x = Date()\n', 'export const x = [1].map(Date.now)\n']
  },
  randomness: {
    instead: /Take an Ids/,
    code: ['export const x = Math.random()\n', "import { randomBytes } from 'node:crypto'\n\nexport const x = randomBytes(4)\n"]
  },
  timers: {
    instead: /Take a Scheduler/,
    code: [
      'setTimeout(() => {}, 5)\n',
      'setInterval(() => {}, 5)\n',
      'globalThis.setTimeout(() => {}, 5)\n',
      "import { promisify } from 'node:util'\n\nexport const x = promisify(setTimeout)\n",
      "import { setTimeout } from 'node:timers/promises'\n\nexport const x = setTimeout\n"
    ]
  }
}

for (const [what, { instead, code }] of Object.entries(forbidden)) {
  t.test(`${what} may be asked for in src/runtime alone`, async (t) => {
    for (const snippet of code) {
      for (const file of ['src/leases/x.ts', 'src/config/x.ts', 'src/cli/x.ts', 'src/app.ts', 'plugins/x.ts', 'routes/x.ts', 'test/leases/x.test.ts', 'demo/x.ts']) {
        const found = await complaints(snippet, file)
        t.match(found, [/^no-restricted-syntax: /], `${file}: ${snippet}`)
        t.match(found, [instead], `${file}: ${snippet}`)
      }
      t.same(await complaints(snippet, 'src/runtime/x.ts'), [], snippet)
    }
  })
}

t.test('what only looks like time, randomness or a timer is let through', async (t) => {
  const code = [
    'export const x = new Date(5)',
    'export const y = Math.round(5)',
    "import { createHash } from 'node:crypto'\n\nexport const z = createHash",
    'export const w = (socket: { setTimeout (ms: number): void }) => socket.setTimeout(5)'
  ]

  for (const snippet of code) t.same(await complaints(`${snippet}\n`, 'src/leases/x.ts'), [], snippet)
})

t.test('the hidden clock and the hidden timer are refused outside of tests and demo', async (t) => {
  for (const snippet of ['export const x = performance.now()\n', 'export const x = AbortSignal.timeout(5)\n']) {
    t.match(await complaints(snippet, 'src/leases/x.ts'), [/^no-restricted-syntax: Take a (Clock|Scheduler)/], snippet)
    t.same(await complaints(snippet, 'test/http/x.test.ts'), [], snippet)
  }
})

t.test('only src/config reads the environment; tests and the demo may, to start programs', async (t) => {
  for (const snippet of [
    'export const x = process.env.HOME\n',
    'const { env } = process\n\nexport const x = env\n',
    "import { env } from 'node:process'\n\nexport const x = env\n"
  ]) {
    for (const file of ['src/leases/x.ts', 'src/runtime/x.ts', 'src/cli/x.ts', 'src/app.ts', 'plugins/x.ts', 'scripts/x.ts']) {
      t.match(await complaints(snippet, file), [/^no-restricted-syntax: Only src\/config reads the environment/], `${file}: ${snippet}`)
    }
    for (const file of ['src/config/x.ts', 'test/http/x.test.ts', 'demo/x.ts']) {
      t.same(await complaints(snippet, file), [], `${file}: ${snippet}`)
    }
  }
})

t.test('an import() that the compiler would leave at a .ts file is refused', async (t) => {
  const lost = ['export default async () => await import(\'./x.ts\')\n', 'export const load = async () => await import(\'./x.ts\')\n']
  const kept = ['export async function load () {\n  return await import(\'./x.ts\')\n}\n', 'async function load () {\n  return await import(\'./x.ts\')\n}\n\nexport default load\n']

  for (const file of ['src/mcp/x.ts', 'src/config/x.ts', 'src/runtime/x.ts', 'plugins/x.ts', 'test/x.ts']) {
    for (const code of lost) t.match(await complaints(code, file), [/^no-restricted-syntax: Compiled, this would still ask for a \.ts file/], `${file}: ${code}`)
    for (const code of kept) t.same(await complaints(code, file), [], `${file}: ${code}`)
  }
})

t.test('the rules that need types know them', async (t) => {
  const file = 'src/runtime/clock.ts'
  const work = 'declare function work (): Promise<void>\n'

  t.match(await complaints(`${work}work()\n`, file, { types: true }), [/^@typescript-eslint\/no-floating-promises: /])
  t.match(await complaints(`${work}export const x = [1].filter(work)\n`, file, { types: true }), [/^@typescript-eslint\/no-misused-promises: /])
  t.match(
    await complaints("export function f (x: 'a' | 'b') {\n  switch (x) {\n    case 'a': return 1\n  }\n}\n", file, { types: true }),
    [/^@typescript-eslint\/switch-exhaustiveness-check: /]
  )
})

t.test('a test may leave the promise of a subtest to tap', async (t) => {
  t.same(await complaints('declare function work (): Promise<void>\nwork()\n', 'test/lint/lint-rules.test.ts', { types: true }), [])
})

t.test('what is imported for its type alone says so', async (t) => {
  const code = "import { X } from './x.ts'\n\nexport type Y = X\n"

  t.match(await complaints(code, 'src/leases/x.ts'), [/^@typescript-eslint\/consistent-type-imports: /])
})

t.test('the house style is neostandard', async (t) => {
  t.match(await complaints('export const x = "a";\n', 'src/leases/x.ts'), [/^@stylistic\/quotes: /, /^@stylistic\/semi: /])
})
