import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ConfigRefusal, type ConfigProblem } from '../../src/config/config-refusal.ts'
import type { Environment } from '../../src/config/config-folders.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { settings, type Setting, type SettingKind } from '../../src/config/setting.ts'

function setup (t: Test) {
  const root = mkdtempSync(join(tmpdir(), 'mooring-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, 'work')
  const home = join(root, 'home')
  mkdirSync(cwd)
  mkdirSync(home)

  function write (file: string, text: string): string {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  function load (argv: readonly string[] = [], env: Environment = {}, platform: NodeJS.Platform = 'linux') {
    return loadConfig({ argv, env: { HOME: home, ...env }, cwd, platform })
  }

  function problems (argv: readonly string[] = [], env: Environment = {}): readonly ConfigProblem[] {
    try {
      load(argv, env)
    } catch (error) {
      if (error instanceof ConfigRefusal) return error.problems
      throw error
    }
    return []
  }

  return { cwd, home, write, load, problems, yaml: (text: string) => write(join(cwd, 'mooring.yaml'), text) }
}

t.test('HTTP-12: nothing needs to be set, and then nobody but this machine is listened to', async (t) => {
  const { load, home } = setup(t)

  t.match(load(), {
    stateDir: join(home, '.local/state/mooring'),
    isOwnStateDir: true,
    server: {
      host: '127.0.0.1',
      port: 8484,
      allowedHosts: [],
      allowedOrigins: [],
      tokenFile: join(home, '.local/state/mooring/token'),
      openProbes: false,
      bodyLimitBytes: 4 * 1024 * 1024,
      maxRequestsInFlight: 512,
      maxHeldRequests: 256,
      holdMs: 30_000,
      shutdownMs: 10_000,
      requestTimeoutMs: 60_000
    },
    log: { level: 'info' }
  })
})

t.test('the result is frozen to the last leaf', async (t) => {
  const { load } = setup(t)
  const config = load(['--allowed-hosts', 'a'])

  for (const object of [config, config.server, config.server.allowedHosts, config.log]) t.ok(Object.isFrozen(object))
})

t.test('the working directory and the home folder of this process are the ones that count', async (t) => {
  const env = { XDG_CONFIG_HOME: t.testdir() }

  t.equal(loadConfig({ argv: ['--state-dir', 'x'], env }).stateDir, join(process.cwd(), 'x'))
  t.equal(loadConfig({ argv: ['--state-dir', '~/x'], env }).stateDir, join(homedir(), 'x'))
})

t.test('a flag outranks a variable, a variable the file, the file the default', async (t) => {
  const { load, yaml } = setup(t)
  yaml('server:\n  port: 1001\n  holdMs: 1001\n  shutdownMs: 1001\n')

  const { server } = load(['--port', '1003'], { MOORING_PORT: '1002', MOORING_HOLD_MS: '1002' })

  t.match(server, { port: 1003, holdMs: 1002, shutdownMs: 1001, requestTimeoutMs: 60_000 })
})

t.test('exactly one file is read: the named one, else the working directory\'s, else the user\'s', async (t) => {
  const { load, cwd, home, write } = setup(t)
  const port = (argv: readonly string[] = [], env: Environment = {}) => load(argv, env).server.port
  write(join(home, '.config/mooring/mooring.yaml'), 'server: { port: 1, holdMs: 1 }')

  t.equal(port(), 1)
  write(join(home, 'xdg/mooring/mooring.yaml'), 'server: { port: 2, holdMs: 1 }')
  t.equal(port([], { XDG_CONFIG_HOME: join(home, 'xdg') }), 2)
  t.equal(port([], { XDG_CONFIG_HOME: 'xdg' }), 1, 'a relative XDG folder does not count')
  write(join(cwd, 'mooring.yaml'), 'server: { port: 3 }')
  t.equal(port(), 3)
  t.equal(load().server.holdMs, 30_000, 'files are not laid over each other')
  write(join(cwd, 'variable.yaml'), 'server: { port: 4 }')
  t.equal(port([], { MOORING_CONFIG: 'variable.yaml' }), 4)
  write(join(cwd, 'flag.yaml'), 'server: { port: 5 }')
  t.equal(port(['--config', 'flag.yaml'], { MOORING_CONFIG: 'variable.yaml' }), 5)
  write(join(home, 'tilde.yaml'), 'server: { port: 6 }')
  t.equal(port(['--config=~/tilde.yaml']), 6)
})

t.test('a file that is named must be there; one that is not named need not', async (t) => {
  const { problems, cwd } = setup(t)

  t.same(problems(), [])
  t.same(problems(['--config', 'none.yaml']), [{ source: join(cwd, 'none.yaml'), message: 'there is no such file' }])
  t.same(problems([], { MOORING_CONFIG: 'none.yaml' }), [{ source: join(cwd, 'none.yaml'), message: 'there is no such file' }])
  t.same(problems(['--config', '.']), [{ source: cwd, message: 'cannot be read (EISDIR)' }])
})

t.test('the name of every setting follows from its path, and no two are alike', async (t) => {
  const names = new Map(settings.map(({ path, flag, variable }) => [path, [flag, variable]]))

  t.same(names.get('server.port'), ['--port', 'MOORING_PORT'])
  t.same(names.get('server.tokenFile'), ['--token-file', 'MOORING_TOKEN_FILE'])
  t.same(names.get('server.token'), ['--server-token', 'MOORING_SERVER_TOKEN'], 'MOORING_TOKEN is the token itself')
  t.same(names.get('stateDir'), ['--state-dir', 'MOORING_STATE_DIR'])
  t.same(names.get('leases.ttlMs'), ['--leases-ttl-ms', 'MOORING_LEASES_TTL_MS'])
  t.same(names.get('devices.virtual.appsFolder'), ['--devices-virtual-apps-folder', 'MOORING_DEVICES_VIRTUAL_APPS_FOLDER'])
  t.same(names.get('log.level'), ['--log-level', 'MOORING_LOG_LEVEL'])

  const taken = ['--config', '--help', '--version', 'MOORING_CONFIG', 'MOORING_TOKEN']
  t.equal(new Set([...taken, ...[...names.values()].flat()]).size, taken.length + 2 * settings.length)
})

t.test('every setting says what it is for', async (t) => {
  for (const { path, description } of settings) t.match(description, /^[A-Z].{20,}\.$/, path)
})

t.test('every setting can be said as a flag, as a variable and in the file, with the same outcome', async (t) => {
  const { load, write, cwd } = setup(t)
  const number = ({ defaultValue }: Setting): string => String(Number(defaultValue) > 0 ? Number(defaultValue) - 1 : 1)
  const samples: Record<SettingKind, (setting: Setting) => string> = {
    'whole number': number,
    number,
    boolean: ({ defaultValue }) => String(defaultValue !== true),
    choice: ({ allowed }) => allowed.split(' ').at(-1) ?? '',
    text: ({ path }) => /endpoint$/i.test(path) ? 'http://127.0.0.1:4318' : path === 'store.url' ? 'postgres://127.0.0.1/mooring' : 'localhost',
    path: () => '/some/where',
    list: ({ path }) => path.endsWith('Origins') ? 'https://a.example,http://b.example:1' : path.endsWith('headers') ? 'a=b,c=d' : 'a.example,b',
    // Read from "a list of {name, name}".
  }

  // For the setting that takes the token from there.
  const env = { MOORING_TOKEN: 'a-token-of-the-operator-0123456789' }

  for (const setting of settings) {
    const text = samples[setting.kind](setting)
    const inYaml = setting.kind === 'list' ? JSON.stringify(text.split(',')) : text
    const file = write(join(cwd, 'one.yaml'), setting.keys.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n') + ` ${inYaml}\n`)
    const byFlag = load([`${setting.flag}=${text}`], env)

    t.strictNotSame(byFlag, load([], env), setting.flag)
    t.strictSame(load([], { ...env, [setting.variable]: text }), byFlag, setting.variable)
    t.strictSame(load(['--config', file], env), byFlag, setting.path)
  }
})

t.test('flags take their value behind a space or an equals sign; switches need none', async (t) => {
  const { load } = setup(t)

  t.equal(load(['--port', '1']).server.port, 1)
  t.equal(load(['--port=1']).server.port, 1)
  t.equal(load(['--port=1', '--port=2']).server.port, 2, 'the last one counts')
  t.equal(load(['--open-probes']).server.openProbes, true)
  t.equal(load(['--open-probes', '--no-open-probes']).server.openProbes, false)
  t.equal(load(['--open-probes=false']).server.openProbes, false)
  t.equal(load(['--no-open-probes'], { MOORING_OPEN_PROBES: 'true' }).server.openProbes, false)
})

t.test('a list is given at once or piece by piece, and white space around its items is dropped', async (t) => {
  const { load } = setup(t)

  t.same(load(['--allowed-hosts', 'a, b', '--allowed-hosts=c']).server.allowedHosts, ['a', 'b', 'c'])
  t.same(load([], { MOORING_ALLOWED_HOSTS: ' a ,b,, c,' }).server.allowedHosts, ['a', 'b', 'c'])
  t.same(load(['--allowed-hosts=c'], { MOORING_ALLOWED_HOSTS: 'a' }).server.allowedHosts, ['c'], 'sources replace each other')
})

t.test('an empty variable and an empty key count as unset', async (t) => {
  const { load, yaml } = setup(t)

  for (const text of ['', '# nothing\n', '---\n', 'server:\n', 'server:\n  port:\n  # allowedHosts:\nlog:\n', 'server: ~']) {
    yaml(text)
    t.equal(load([], { MOORING_PORT: '', MOORING_CONFIG: '', MOORING_PROT: '' }).server.port, 8484, JSON.stringify(text))
  }
})

t.test('relative paths are seen from the file that says them, else from the working directory', async (t) => {
  const { load, cwd, home, write } = setup(t)
  const file = write(join(home, 'etc/mooring.yaml'), 'stateDir: state\nserver:\n  tokenFile: ~/token\n')

  t.match(load(['--config', file]), { stateDir: join(home, 'etc/state'), isOwnStateDir: false, server: { tokenFile: join(home, 'token') } })
  t.match(load(['--config', file, '--state-dir', 'here', '--token-file=/run/token']), { stateDir: join(cwd, 'here'), server: { tokenFile: '/run/token' } })
  t.match(load([], { MOORING_STATE_DIR: '../x', MOORING_TOKEN_FILE: '~user' }), { stateDir: join(cwd, '../x'), server: { tokenFile: join(cwd, '~user') } })
})

t.test('the token is in the state directory, wherever that is', async (t) => {
  const { load, home } = setup(t)

  t.equal(load(['--state-dir', '/var/lib/mooring']).server.tokenFile, '/var/lib/mooring/token')
  t.equal(load([], { XDG_STATE_HOME: '/state' }).server.tokenFile, '/state/mooring/token')
  t.equal(load([], { XDG_STATE_HOME: 'state' }).stateDir, join(home, '.local/state/mooring'), 'a relative XDG folder does not count')
  t.equal(load([], { LOCALAPPDATA: '/local' }, 'win32').stateDir, join('/local', 'mooring'))
  t.equal(load([], {}, 'win32').stateDir, join(home, 'AppData', 'Local', 'mooring'))
})

t.test('unknown names are refused, each with the nearest one', async (t) => {
  const { problems, yaml, cwd } = setup(t)
  const file = join(cwd, 'mooring.yaml')
  yaml('serer:\n  port: 1\nserver:\n  prot: 1\n  level: debug\nport: 1\n"": 1\n[1, 2]: 3\nzzzzzzzz: 1\n__proto__: 1\nserver.port: 1\n')

  t.same(problems(['--prot', '1', '--no-host', '--helm', '-p', '--open-probe', '--server-hold-ms=1'], { MOORING_PROT: '1', MOORING_SERVER_PORT: '1', MOORING_ZZZZ: '1', MOORINGPORT: '1', mooring_port: '1' }), [
    { source: `${file}:1:1`, message: 'there is no setting serer; did you mean server?' },
    { source: `${file}:4:3`, message: 'there is no setting server.prot; did you mean server.port?' },
    { source: `${file}:5:3`, message: 'there is no setting server.level; did you mean log.level?' },
    { source: `${file}:6:1`, message: 'there is no setting port; did you mean server.port?' },
    { source: `${file}:7:1`, message: 'there is no setting ' },
    { source: `${file}:8:1`, message: 'there is no setting [1,2]' },
    { source: `${file}:9:1`, message: 'there is no setting zzzzzzzz' },
    { source: `${file}:10:1`, message: 'there is no setting __proto__' },
    { source: `${file}:11:1`, message: 'there is no setting server.port; groups are nested: write server: { port: … }' },
    { source: 'MOORING_PROT', message: 'there is no such setting; did you mean MOORING_PORT?' },
    { source: 'MOORING_SERVER_PORT', message: 'there is no such setting; did you mean MOORING_PORT?' },
    { source: 'MOORING_ZZZZ', message: 'there is no such setting' },
    { source: '--prot', message: 'there is no such flag; did you mean --port?' },
    { source: '1', message: 'is not expected here; flags begin with --' },
    { source: '--no-host', message: 'there is no such flag; did you mean --host?' },
    { source: '--helm', message: 'there is no such flag' },
    { source: '-p', message: 'there is no such flag' },
    { source: '--open-probe', message: 'there is no such flag; did you mean --open-probes?' },
    { source: '--server-hold-ms', message: 'there is no such flag; did you mean --hold-ms?' }
  ])
})

t.test('a wrong value names who said it, the value, and what is allowed', async (t) => {
  const { problems, yaml, cwd } = setup(t)
  const file = join(cwd, 'mooring.yaml')
  yaml('server:\n  shutdownMs: 1\n  allowedHosts: a\n  openProbes: yes\n  tokenFile: [a]\nlog: { level: loud }\nstateDir: ""\n')

  t.same(problems(['--port', '70000', '--body-limit-bytes=lots'], { MOORING_HOLD_MS: '-5', MOORING_MAX_HELD_REQUESTS: '1.5', MOORING_MAX_REQUESTS_IN_FLIGHT: '0x10' }), [
    { source: `${file}:7:1 stateDir`, message: 'must be a path, not ""' },
    { source: '--port', message: 'must be a whole number from 0 to 65535, not 70000' },
    { source: `${file}:3:3 server.allowedHosts`, message: 'must be a list of texts, not "a"' },
    { source: `${file}:5:3 server.tokenFile`, message: 'must be a path, not ["a"]' },
    { source: `${file}:4:3 server.openProbes`, message: 'must be true or false, not "yes"' },
    { source: '--body-limit-bytes', message: 'must be a whole number from 1024 to 268435456, not "lots"' },
    { source: 'MOORING_MAX_REQUESTS_IN_FLIGHT', message: 'must be a whole number from 1 to 65536, not "0x10"' },
    { source: 'MOORING_MAX_HELD_REQUESTS', message: 'must be a whole number from 0 to 65536, not "1.5"' },
    { source: 'MOORING_HOLD_MS', message: 'must be a whole number from 0 to 30000, not -5' },
    { source: `${file}:2:3 server.shutdownMs`, message: 'must be a whole number from 100 to 10000, not 1' },
    { source: `${file}:6:8 log.level`, message: 'must be one of fatal, error, warn, info, debug, trace, silent, not "loud"' }
  ])
})

t.test('a flag without the value it needs is refused, and so is a value where none belongs', async (t) => {
  const { problems } = setup(t)

  t.same(problems(['--port', '--host', 'localhost']).map(({ source }) => source), ['--port', 'localhost'])
  t.same(problems(['--port']), [{ source: '--port', message: 'needs a value, like --port=…' }])
  t.same(problems(['--config=']), [{ source: '--config', message: 'needs a value, like --config=…' }])
  t.same(problems(['--port', '-1']), [{ source: '--port', message: 'needs a value, like --port=…' }])
  t.same(problems(['--port=-1']), [{ source: '--port', message: 'must be a whole number from 0 to 65535, not -1' }])
  t.same(problems(['--no-open-probes=true']), [{ source: '--no-open-probes', message: 'takes no value; write --open-probes=true' }])
  t.same(problems(['--open-probes', 'false']), [{ source: 'false', message: 'is not expected here; flags begin with --' }])
  t.same(problems(['--', 'x']), [{ source: 'x', message: 'is not expected here; flags begin with --' }])
})

t.test('a value that is outranked is not looked at', async (t) => {
  const { load } = setup(t)

  t.equal(load(['--port', '1'], { MOORING_PORT: 'x' }).server.port, 1)
})

t.test('a relation between settings is checked once each of them is right', async (t) => {
  const { problems, yaml, cwd } = setup(t)
  yaml('leases:\n  maxTtlMs: 60000\n')

  t.same(problems(), [{ source: 'leases.ttlMs (--leases-ttl-ms, MOORING_LEASES_TTL_MS)', message: 'must not be longer than maxTtlMs' }])
  t.same(problems(['--devices-virtual-android', '150', '--devices-virtual-ios=150', '--leases-ttl-ms=60000']).map(({ source }) => source), ['--devices-virtual-ios'])
  yaml('leases:\n  maxTtlMs: 60000\n  ttlMs: 60001\n')
  t.match(problems(), [{ source: `${join(cwd, 'mooring.yaml')}:3:3 leases.ttlMs` }])
})

t.test('broken YAML is refused with file, line and column', async (t) => {
  const { problems, yaml, cwd } = setup(t)
  const file = join(cwd, 'mooring.yaml')

  const broken = {
    'server:\n  port: [1\n': /^is no YAML: /,
    'server:\n\tport: 1\n': /^is no YAML: .*[Tt]ab/,
    'server:\n  port: 1\n  port: 2\n': /^is no YAML: .*unique/,
    '{{{\n': /^is no YAML: /,
    'server: 1\n---\nserver: 2\n': /^is no YAML: .*multiple documents/,
    'server:\n  port: !!js/function 1\n': /^is no YAML: /
  }
  for (const [text, message] of Object.entries(broken)) {
    yaml(text)
    const [problem, ...more] = problems()
    t.match(problem, { source: /mooring\.yaml:\d+:\d+$/, message }, JSON.stringify(text))
    t.same(more.filter(({ source }) => !source.startsWith(file)), [])
  }
  yaml('server:\n  port: 1\n  port: 2\n')
  t.equal(problems()[0]?.source, `${file}:3:3`)
  yaml('{{{\n')
  t.equal(problems().length, 1, 'a place is named once')
})

t.test('a key with dots is answered with the groups that it stands for', async (t) => {
  const { problems, yaml } = setup(t)
  yaml('server.port: 1\ndevices.virtual: { android: 2 }\ndevices:\n  virtual.android: 3\nserver.prot: 9\nfoo.bar: 1\n')

  t.same(problems().map(({ message }) => message), [
    'there is no setting server.port; groups are nested: write server: { port: … }',
    'there is no setting devices.virtual; groups are nested: write devices: { virtual: … }',
    'there is no setting devices.virtual.android; groups are nested: write devices: { virtual: { android: … } }',
    'there is no setting server.prot; groups are nested: write server: { port: … }',
    'there is no setting foo.bar; groups are nested'
  ])
})

t.test('waiting for the start and stopping have bounds that no setting breaks', async (t) => {
  const { problems } = setup(t)

  t.match(problems(['--hold-ms', '30001', '--shutdown-ms', '10001']), [
    { source: '--hold-ms', message: /from 0 to 30000/ }, { source: '--shutdown-ms', message: /from 100 to 10000/ }
  ])
})

t.test('a group must hold settings', async (t) => {
  const { problems, yaml, cwd } = setup(t)
  const file = join(cwd, 'mooring.yaml')

  yaml('server: 8484\n')
  t.same(problems(), [{ source: `${file}:1:9`, message: 'server must be a group of settings, each on a line of its own' }])
  yaml('- server\n')
  t.same(problems(), [{ source: `${file}:1:1`, message: 'the file must be a group of settings, each on a line of its own' }])
})

t.test('an anchor may be used for a group and for a value', async (t) => {
  const { load, yaml } = setup(t)
  yaml('server:\n  holdMs: &wait 1234\n  shutdownMs: *wait\n')

  t.equal(load().server.shutdownMs, 1234)
})

t.test('an address that others can reach needs the names under which they do', async (t) => {
  const { load, problems } = setup(t)

  for (const host of ['0.0.0.0', '::', '192.168.1.5', '127.0.0.2', 'phones.example']) {
    t.match(problems(['--host', host]), [{ source: 'server.allowedHosts (--allowed-hosts, MOORING_ALLOWED_HOSTS)', message: /^must be set when server\.host / }], host)
    t.equal(load(['--host', host, '--allowed-hosts', 'phones.example']).server.host, host)
  }
  for (const host of ['localhost', '127.0.0.1', '::1']) t.equal(load(['--host', host]).server.host, host)
})

t.test('allowed hosts are names and addresses, allowed origins are what browsers send', async (t) => {
  const { load, problems } = setup(t)

  for (const host of ['a b', 'a:1', 'http://a', 'a/', '*', '*.example', 'a.', '[::1', '[a]']) {
    t.match(problems(['--allowed-hosts', host]), [{ source: '--allowed-hosts', message: /is no host/ }], host)
  }
  for (const origin of ['null', '*', 'tools.example', 'https://', 'https://tools.example/', 'https://Tools.example', 'https://*.example', 'HTTPS://a', 'https://a@b', 'https://a b']) {
    t.match(problems(['--allowed-origins', origin]), [{ source: '--allowed-origins', message: /is no origin/ }], origin)
  }
  t.match(load(['--allowed-hosts', 'A_b.example,::1,[::2],10.0.0.1', '--allowed-origins', 'https://a:1,vscode-webview://x']).server, {
    allowedHosts: ['A_b.example', '::1', '[::2]', '10.0.0.1'],
    allowedOrigins: ['https://a:1', 'vscode-webview://x']
  })
})

t.test('what Kubernetes says of services is passed over', async (t) => {
  const { load } = setup(t)

  t.equal(load([], {
    MOORING_SERVICE_HOST: '10.0.0.1',
    MOORING_SERVICE_PORT: '8484',
    MOORING_SERVICE_PORT_HTTP: '8484',
    MOORING_PORT_8484_TCP: 'tcp://10.0.0.1:8484',
    MOORING_PORT_8484_TCP_PROTO: 'tcp',
    MOORING_PORT_8484_TCP_PORT: '8484',
    MOORING_PORT_8484_TCP_ADDR: '10.0.0.1',
    MOORING_DB_SERVICE_HOST: '10.0.0.2',
    MOORING_DB_PORT: 'tcp://10.0.0.2:5432',
    MOORING_DB_PORT_5432_TCP: 'tcp://10.0.0.2:5432'
  }).server.port, 8484)
})

t.test('an address of Kubernetes in the place of the port says how to be rid of it', async (t) => {
  const { problems } = setup(t)

  t.match(problems([], { MOORING_PORT: 'tcp://10.0.0.1:8484' }), [{ source: 'MOORING_PORT', message: /enableServiceLinks: false/ }])
})

t.test('the token of a client is passed over, and never shown', async (t) => {
  const { problems } = setup(t)

  t.same(problems([], { MOORING_TOKEN: 'secret' }), [])
  t.notMatch(JSON.stringify(problems(['--port', 'x'], { MOORING_TOKEN: 'secret' })), 'secret')
})

t.test('the token of the server comes from the variable only where a setting says so', async (t) => {
  const { load } = setup(t)
  const token = 'a-token-of-the-operator-0123456789'

  t.match(load([], { MOORING_TOKEN: token }).server, { token: 'new' })
  t.notOk('tokenFromVariable' in load([], { MOORING_TOKEN: token }).server)
  t.match(load(['--server-token', 'variable'], { MOORING_TOKEN: ` ${token}\n` }).server, { token: 'variable', tokenFromVariable: token })
  t.match(load([], { MOORING_SERVER_TOKEN: 'keep' }).server, { token: 'keep' })
})

t.test('a variable that holds no token that would do stops the start, and is not repeated', async (t) => {
  const { problems } = setup(t)
  const said = (token?: string) => problems(['--server-token', 'variable'], token === undefined ? {} : { MOORING_TOKEN: token })

  for (const token of [undefined, '', '  ', '\n']) t.match(said(token), [{ source: 'MOORING_TOKEN', message: /^is empty/ }])
  t.match(said('only-short'), [{ source: 'MOORING_TOKEN', message: /could be guessed/ }])
  t.match(said('several words that are no token'), [{ source: 'MOORING_TOKEN', message: /is no token/ }])
  t.notMatch(JSON.stringify([...said('only-short'), ...said('several words that are no token')]), /only-short|several words/)
})

t.test('a token in the place of the setting that says where it comes from is not repeated', async (t) => {
  const { problems } = setup(t)
  const [problem] = problems([], { MOORING_SERVER_TOKEN: 'this-is-the-secret-itself' })

  t.match(problem, { source: 'MOORING_SERVER_TOKEN', message: 'must be one of new, keep, file, variable' })
})

t.test('the refusal counts what is wrong and lists it', async (t) => {
  const { load } = setup(t)

  t.throws(() => load(['--port', 'x']), { code: 'config_invalid', message: 'One setting is wrong.', retryable: false })
  t.throws(() => load(['--port', 'x', '--prot', '1']), { message: '3 settings are wrong.' })
})

t.test('whatever is said, the outcome is a configuration or a refusal that names problems', async (t) => {
  const { load, yaml } = setup(t)
  const argument = fc.oneof(fc.constantFrom(...settings.map(({ flag }) => flag)), fc.string(), fc.string().map((text) => `--${text}`), fc.constantFrom('--', '-', '1', 'true', '='))
  const variables = fc.dictionary(fc.constantFrom(...settings.map(({ variable }) => variable), 'MOORING_', 'MOORING_X'), fc.string())
  const text = fc.oneof(fc.string(), fc.json(), fc.array(fc.constantFrom('server:', '\n', '  ', 'port: ', '1', '- ', '&a ', '*a', '{', '}', '? ', ': ', '!!set ', '<<: ')).map((pieces) => pieces.join('')))

  fc.assert(fc.property(fc.array(argument, { maxLength: 4 }), variables, text, (argv, env, text) => {
    yaml(text)
    try {
      return Object.isFrozen(load(argv, env))
    } catch (error) {
      if (!(error instanceof ConfigRefusal)) throw error
      return error.problems.length > 0 && error.problems.every(({ source, message }) => typeof source === 'string' && message !== '')
    }
  }), { numRuns: 1000 })
  t.pass('1000 attempts')
})

t.test('OpenTelemetry\'s own variables say where telemetry goes, below ours and above the file', async (t) => {
  const { load, yaml } = setup(t)

  t.match(load([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://metrics.example/in',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, x-other=c',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25'
  }).telemetry, {
    endpoint: 'http://collector:4318',
    tracesEndpoint: 'https://traces.example/in',
    metricsEndpoint: 'https://metrics.example/in',
    protocol: 'http/json',
    headers: ['x-key=a%20b', 'x-other=c'],
    traces: true,
    metrics: true,
    sampleRatio: 0.25
  })
  t.match(load([], { OTEL_TRACES_EXPORTER: 'none' }).telemetry, { traces: false, metrics: true })
  t.match(load([], { OTEL_METRICS_EXPORTER: 'none' }).telemetry, { traces: true, metrics: false })
  t.match(load([], { OTEL_SDK_DISABLED: 'TRUE' }).telemetry, { traces: false, metrics: false })
  t.match(load([], { OTEL_TRACES_SAMPLER: 'always_off' }).telemetry, { sampleRatio: 0 })

  const ours = 'http://ours:4318'
  const theirs = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://theirs:4318' }
  yaml('telemetry:\n  endpoint: http://file:4318\n')
  t.equal(load([], theirs).telemetry.endpoint, 'http://theirs:4318')
  t.equal(load([], { MOORING_TELEMETRY_ENDPOINT: ours, ...theirs }).telemetry.endpoint, ours)
  t.equal(load(['--telemetry-endpoint', ours], theirs).telemetry.endpoint, ours)
})

t.test('a variable of OpenTelemetry that is not understood is warned of where something is measured, without its secrets', async (t) => {
  const { load } = setup(t)
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  const odd = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_EXPORTER: 'zipkin',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/secret/path',
    OTEL_SERVICE_NAME: 'phones'
  }

  t.strictSame(load([], { ...endpoint, ...odd }).warnings, [
    'OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported; mooring has http/protobuf and http/json.',
    'OTEL_TRACES_EXPORTER: zipkin is not supported; mooring has none and otlp.',
    'OTEL_TRACES_SAMPLER: jaeger_remote is not supported; mooring has always_on, always_off and traceidratio, alone and parent-based.',
    'OTEL_EXPORTER_OTLP_CERTIFICATE: mooring does not read this variable of OpenTelemetry.'
  ])
  t.match(load([], { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'pass word' }).warnings, [/^OTEL_EXPORTER_OTLP_PROTOCOL: its value is not supported/])
  t.strictSame(load([], odd).warnings, [], 'nothing is measured')
  t.strictSame(load([], endpoint).warnings, [])
})

t.test('what OpenTelemetry\'s own variables ask of others is passed over', async (t) => {
  const { load } = setup(t)

  t.same(load([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_EXPORTER: 'console',
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_SDK_DISABLED: 'false',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: 'x',
    OTEL_LOGS_EXPORTER: 'otlp',
    OTEL_BSP_SCHEDULE_DELAY: '1'
  }), load())
  t.same(load([], { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '' }), load())
})

t.test('an endpoint is an address, and no credential of telemetry is repeated in an error', async (t) => {
  const { problems } = setup(t)

  for (const [value, shown] of [['collector:4318', 'collector:4318'], ['ftp://x', 'ftp://x'], ['http://ada:hush@collector', 'http://…@collector']] as const) {
    t.match(problems([], { OTEL_EXPORTER_OTLP_ENDPOINT: value }), [{
      source: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      message: `${JSON.stringify(shown)} is no address; write it like http://127.0.0.1:4318, and credentials as telemetry.headers`
    }])
  }
  for (const headers of ['hush', 'a b=hush', 'x=hush\u00e9']) {
    t.same(problems([], { MOORING_TELEMETRY_HEADERS: headers }), [{ source: 'MOORING_TELEMETRY_HEADERS', message: 'has an item that is no header; write name=value' }])
  }
})

t.test('what may have a secret in it is never repeated in an error', async (t) => {
  const { problems, yaml } = setup(t)
  const isSilent = (found: readonly ConfigProblem[]) => {
    t.ok(found.length > 0)
    t.notMatch(JSON.stringify(found), 'hush')
  }

  for (const url of ['mysql://ada:hush@db/x', 'postgres:hush', 'tcp://ada:hush@db', 'postgres://ada:hush@:x/y']) {
    isSilent(problems(['--store-url', url]))
    isSilent(problems([], { MOORING_STORE_URL: url }))
  }
  isSilent(problems(['postgres://ada:hush@db/x']))
  yaml('store: { url: [ "postgres://ada:hush@db/x" ] }\ntelemetry: { headers: { key: hush } }')
  isSilent(problems())
  t.equal(problems().length, 2)
})

t.test('a database is named by an address, with a socket of this machine as well', async (t) => {
  const { load } = setup(t)

  t.equal(load().store.url, undefined)
  for (const url of ['postgres://db.example/x', 'postgresql://ada:hush@db.example:5433/x?sslmode=require', 'postgres://ada@/x?host=/run/postgresql']) {
    t.equal(load(['--store-url', url]).store.url, url)
  }
})
