import neostandard, { plugins, resolveIgnoresFromGitignore } from 'neostandard'

/**
 * Who may import whom between the rooms of `src/`. A room that is not listed is one it must
 * not see, and so are Fastify, plugins, routes and the app. `config` composes the settings of
 * every room, and `mooring` composes the rooms. `cli` is no room: it stands in front of the app.
 */
const sees = {
  runtime: ['refusals'],
  refusals: [],
  text: [],
  protocol: ['runtime', 'refusals', 'text'],
  devices: ['runtime', 'refusals', 'text', 'protocol'],
  events: ['runtime', 'refusals', 'text', 'protocol'],
  auth: ['runtime', 'refusals', 'text', 'protocol'],
  telemetry: ['runtime', 'refusals', 'text', 'protocol'],
  leases: ['runtime', 'refusals', 'text', 'protocol', 'devices'],
  tasks: ['runtime', 'refusals', 'text', 'protocol', 'leases', 'events'],
  upstreams: ['runtime', 'refusals', 'text', 'protocol', 'events', 'auth'],
  store: ['runtime', 'refusals', 'text', 'protocol', 'devices', 'leases', 'tasks', 'events', 'upstreams', 'auth'],
  tools: ['runtime', 'refusals', 'text', 'protocol', 'devices', 'leases', 'tasks', 'events', 'auth'],
  mcp: ['runtime', 'refusals', 'text', 'protocol', 'devices', 'leases', 'tasks', 'events', 'upstreams', 'auth', 'telemetry', 'tools'],
  config: ['runtime', 'refusals', 'text', 'protocol', 'devices', 'leases', 'tasks', 'events', 'upstreams', 'auth', 'telemetry', 'store', 'tools', 'mcp'],
  mooring: ['runtime', 'refusals', 'text', 'protocol', 'devices', 'leases', 'tasks', 'events', 'upstreams', 'auth', 'telemetry', 'store', 'tools', 'mcp', 'config']
}

/** Rooms that know a phone by its port alone. */
const seesOnlyTheDevicePort = ['leases', 'store', 'tools', 'mcp', 'mooring']

const outsideOfRooms = [
  {
    regex: '^(fastify|fastify-plugin|@fastify/.*)$',
    message: 'Rooms know nothing of Fastify. Take what you need as an argument, and let a plugin or route pass it in.'
  },
  {
    regex: '^(\\.\\./)+(plugins|routes)/|^(\\.\\./)+(app|build-http)\\.ts$',
    message: 'Rooms know nothing of plugins, routes or the app. Put the logic in a room and let the plugin or route call it.'
  }
]

function restrictedImports (room) {
  const hidden = [...Object.keys(sees), 'cli'].filter((other) => other !== room && !sees[room].includes(other))
  return [
    ...outsideOfRooms,
    {
      regex: `^(\\.\\./)+(${hidden.join('|')})/`,
      message: `src/${room} may import from ${sees[room].join(', ') || 'no other room'}. ` +
        'Declare an interface for what is missing in this room, and let app.ts or a plugin pass it in.'
    },
    ...(seesOnlyTheDevicePort.includes(room)
      ? [{
          regex: '^(\\.\\./)+devices/(virtual|android|ios)/',
          message: 'What is inside a driver stays there. Use the DeviceDriver interface of src/devices/device-driver.ts.'
        }]
      : [])
  ]
}

const timeAndChance = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now'], NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
    message: 'Take a Clock and call nowMs(); new Date(ms) may format what it says.'
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random'], ImportDeclaration[source.value=/^(node:)?crypto$/] > ImportSpecifier[imported.name=/^random/]",
    message: 'Take an Ids and call bytes() or one of its handle makers.'
  },
  {
    selector: "CallExpression > Identifier[name=/^set(Timeout|Interval)$/], MemberExpression[object.name='globalThis'][property.name=/^set(Timeout|Interval)$/], ImportDeclaration[source.value=/^(node:)?timers(\\u002fpromises)?$/]",
    message: 'Take a Scheduler and call after() or every(); a test waits for an event or advances the manual time.'
  }
]

const hiddenTime = [
  {
    selector: "MemberExpression[object.name='performance'][property.name='now']",
    message: 'Take a Clock and call monotonicMs().'
  },
  {
    selector: "MemberExpression[object.name='AbortSignal'][property.name='timeout']",
    message: 'Take a Scheduler and abort an AbortController from after().'
  }
]

// The compiler rewrites `./x.ts` to `./x.js` elsewhere, and leaves these as they are.
const lostImports = [
  {
    selector: ':matches(ExportDefaultDeclaration, ExportNamedDeclaration > VariableDeclaration) ImportExpression',
    message: 'Compiled, this would still ask for a .ts file. Put the import() into a function declared on its own.'
  }
]

const environment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env'], VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env'], ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name='env']",
    message: 'Only src/config reads the environment. Make it a setting, and take the setting as an argument.'
  }
]

export default [
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...neostandard({ ts: true, noJsx: true, ignores: resolveIgnoresFromGitignore() }),
  {
    files: ['**/*.ts'],
    plugins: { '@typescript-eslint': plugins['typescript-eslint'].plugin },
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['drizzle.config.ts', 'drizzle.postgres.config.ts'] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A reply can be awaited, but sending one is not a promise that could get lost; an exchange never fails.
      '@typescript-eslint/no-floating-promises': ['error', {
        allowForKnownSafePromises: [
          { from: 'package', package: 'fastify', name: 'FastifyReply' },
          // As seen from the folder of the project that calls it.
          { from: 'file', name: 'Answering', path: '../src/mcp/exchange/exchange.ts' }
        ]
      }],
      '@typescript-eslint/no-misused-promises': 'error',
      // Where a default is written, it says what holds for the rest.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-syntax': ['error', ...timeAndChance, ...hiddenTime, ...environment, ...lostImports]
    }
  },
  {
    files: ['src/config/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...timeAndChance, ...hiddenTime, ...lostImports] }
  },
  {
    files: ['src/runtime/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...environment, ...lostImports] }
  },
  {
    // They start other programs, measure them, and give up on them.
    files: ['test/**/*.ts', 'demo/**/*.ts', 'bench/**/*.ts', 'scripts/{crash,contention,support}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...timeAndChance, ...lostImports] }
  },
  {
    // tap waits for the promises of its subtests by itself.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' }
  },
  ...Object.keys(sees).map((room) => ({
    files: [`src/${room}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns: restrictedImports(room) }] }
  }))
]
