import t from 'tap'
import { configErrorText, startUpErrorText, unexpectedErrorText } from '../../src/cli/error-text.ts'
import { ConfigRefusal } from '../../src/config/config-refusal.ts'
import { AppFileRefusal } from '../../src/devices/virtual/apps/app-file-refusals.ts'

const setting = { host: '127.0.0.1', port: 8484, platform: 'linux' as NodeJS.Platform }

function systemError (code: string, syscall = 'listen'): Error {
  return Object.assign(new Error(`${syscall} ${code} 127.0.0.1:8484`), { code, syscall })
}

t.test('wrong settings are listed one a line', async (t) => {
  t.equal(configErrorText(new ConfigRefusal([{ source: '--prot', message: 'there is no such flag' }, { source: 'MOORING_PORT', message: 'must be x, not y' }])),
    'mooring: 2 settings are wrong.\n  --prot: there is no such flag\n  MOORING_PORT: must be x, not y\nCorrect what is listed; `mooring help` shows every setting.\n')
})

t.test('a port that is taken says which, how to find who has it, and how to choose another', async (t) => {
  const text = startUpErrorText(systemError('EADDRINUSE'), setting)

  t.match(text, 'cannot listen on 127.0.0.1:8484: another program')
  t.match(text, 'lsof -nP -iTCP:8484 -sTCP:LISTEN')
  t.match(text, '--port')
  t.match(startUpErrorText(systemError('EADDRINUSE'), { ...setting, platform: 'win32' }), 'netstat -ano | findstr :8484')
})

t.test('a port or address that cannot be used says why and what to choose', async (t) => {
  t.match(startUpErrorText(systemError('EACCES'), { ...setting, port: 80 }), /127\.0\.0\.1:80: this user may not use the port\.\n.*--port/)
  t.match(startUpErrorText(systemError('EADDRNOTAVAIL'), { ...setting, host: '2001:db8::1' }), /\[2001:db8::1\]:8484: this machine has no such address\.\n.*--host/)
  t.match(startUpErrorText(systemError('ENOTFOUND', 'getaddrinfo'), setting), /no such address/)
})

t.test('a refusal says what happened and what to do', async (t) => {
  t.equal(startUpErrorText(new ConfigRefusal([]), setting), 'mooring: 0 settings are wrong.\nCorrect what is listed; `mooring help` shows every setting.\n')
})

t.test('a database driver that this Node.js cannot load says how to build it anew', async (t) => {
  const otherVersion = Object.assign(new Error(
    "The module '/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115."
  ), { code: 'ERR_DLOPEN_FAILED' })
  const missing = new Error('Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build/better_sqlite3.node')

  t.match(startUpErrorText(otherVersion, setting), /built for another version of Node\.js than this v\d+.*\nRun `npm rebuild better-sqlite3`/)
  t.match(startUpErrorText(missing, setting), /was not built when mooring was installed\.\nRun `npm rebuild better-sqlite3`/)
  t.equal(startUpErrorText(Object.assign(new Error('libfoo.so'), { code: 'ERR_DLOPEN_FAILED' }), setting), undefined)
})

t.test('an app file with mistakes is told with every one of them', async (t) => {
  const problems = [{ path: 'screens.a', problem: 'is missing' }, { path: 'icon', problem: 'is too long' }]

  const text = startUpErrorText(new AppFileRefusal('/apps/shop.yaml', problems), setting)

  t.match(text, 'mooring: /apps/shop.yaml is no app of the virtual phone:\n  screens.a: is missing\n  icon: is too long\nCorrect the file')
})

t.test('anything else is one line, and its stack shows only on request', async (t) => {
  const error = new Error('the first line\nthe second line')

  t.equal(startUpErrorText(error, setting), undefined)
  t.equal(startUpErrorText(systemError('EACCES', 'open'), setting), undefined, 'a file is no port')
  t.equal(startUpErrorText(systemError('EINVAL'), setting), undefined)
  t.equal(unexpectedErrorText('did not start', error, { showStack: false }), 'mooring did not start: the first line (the log on stderr says more with --log-level debug)\n')
  t.match(unexpectedErrorText('did not start', error, { showStack: true }), /^mooring did not start: the first line\nError: the first line\nthe second line\n {4}at /)
  t.match(unexpectedErrorText('stops', 'a text', { showStack: true }), /^mooring stops: a text\n$/)
})
