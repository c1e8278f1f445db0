import fc from 'fast-check'
import t from 'tap'
import { createHostAllowList, isLoopbackName, parseHostName } from '../../src/auth/host-allow-list.ts'

function setup ({ allowedHosts = [] as string[], allowedOrigins = [] as string[] } = {}) {
  const list = createHostAllowList({ allowedHosts, allowedOrigins })
  return {
    host: (value: string) => list.allowsHost([value]),
    origin: (value: string) => list.allowsOrigin([value]),
    list
  }
}

t.test('HTTP-11: the names of this machine are allowed with any port or none, in any case', async (t) => {
  const { host } = setup()

  for (const name of ['localhost', '127.0.0.1', '[::1]', 'LocalHost', '[0:0:0:0:0:0:0:1]']) {
    for (const port of ['', ':1', ':8484', ':65535']) t.ok(host(name + port), name + port)
  }
})

t.test('HTTP-11: a name that only looks like an allowed one is refused', async (t) => {
  const { host } = setup({ allowedHosts: ['phones.example'] })

  for (const value of [
    '', ' ', ':', ':8484', '[', '[]', '[::1', '::1', '::1]', '[::1]x', '[::1%lo]', '[::1]:', '[localhost]', '[127.0.0.1]',
    'evil.example.com', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:127.0.0.1', 'phones.example.evil.example',
    'xphones.example', 'evil-localhost', 'localhostx',
    'localhost.', '127.0.0.1.', 'phones.example.', 'localhost..', '.localhost',
    'localhost@evil.example', 'evil.example@localhost', 'user:pass@localhost', 'localhost:80@evil.example',
    'localhost:', 'localhost:x', 'localhost:-1', 'localhost:65536', 'localhost:123456', 'localhost:80:80', 'localhost:8 0',
    'http://localhost', 'localhost/', 'localhost/evil', 'localhost?x', 'localhost#x', 'localhost\\evil', 'localhost,evil.example',
    'localhost evil.example', 'local\thost', 'localhost\0', 'localhost%00.evil.example', '\u24dbocalhost', '\uff4cocalhost', 'local\u017fost',
    '127.1', '127.0.0.01', '0x7f.0.0.1', '2130706433', '0177.0.0.1', '127.0.0.2', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]'
  ]) t.notOk(host(value), JSON.stringify(value))
})

t.test('HTTP-11: a missing Host and a repeated Host are refused', async (t) => {
  const { list } = setup()

  t.notOk(list.allowsHost(undefined))
  t.notOk(list.allowsHost([]))
  t.notOk(list.allowsHost(['localhost', 'localhost']))
  t.notOk(list.allowsHost(['localhost', 'evil.example']))
})

t.test('HTTP-11: configured names are allowed as well, whatever the case, IPv6 in any notation', async (t) => {
  const { host } = setup({ allowedHosts: ['Phones.Example', 'my_service', '10.1.2.3', '2001:DB8::0:1', '[fe80::1]'] })

  for (const value of ['phones.example', 'PHONES.example:443', 'my_service:8484', '10.1.2.3', '[2001:db8::1]:8484', '[2001:db8:0:0::1]', '[fe80::1]']) {
    t.ok(host(value), value)
  }
  for (const value of ['10.1.2.4', '[2001:db8::2]', 'a.phones.example']) t.notOk(host(value), value)
})

t.test('a list of names that holds something else is a mistake of the caller', async (t) => {
  t.throws(() => createHostAllowList({ allowedHosts: ['phones.example:8484'], allowedOrigins: [] }), TypeError)
})

t.test('HTTP-10: a request without Origin goes on', async (t) => {
  const { list } = setup()

  t.ok(list.allowsOrigin(undefined))
  t.ok(list.allowsOrigin([]))
})

t.test('HTTP-10: the origins of allowed hosts are allowed over http and https, with any port', async (t) => {
  const { origin } = setup({ allowedHosts: ['phones.example'] })

  for (const value of ['http://localhost', 'http://localhost:8484', 'https://127.0.0.1:1', 'http://[::1]:8484', 'https://phones.example', 'HTTP://LOCALHOST:3000']) {
    t.ok(origin(value), value)
  }
})

t.test('HTTP-10: foreign, opaque and malformed origins are refused', async (t) => {
  const { origin, list } = setup({ allowedHosts: ['phones.example'], allowedOrigins: ['https://tools.example'] })

  for (const value of [
    'null', '', ' ', '*', 'localhost', 'localhost:8484', 'http:', 'http://', 'http:///', 'http:localhost', '//localhost',
    'http://evil.example.com', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'https://phones.example.evil.example',
    'http://localhost@evil.example', 'http://evil.example@localhost', 'http://localhost/', 'http://localhost/path', 'http://localhost?x', 'http://localhost#x',
    'http://localhost.', 'http://localhost:', 'http://localhost:x', 'http://localhost http://localhost', 'http://localhost, http://evil.example',
    'file://', 'file://localhost', 'ftp://localhost', 'ws://localhost', 'chrome-extension://localhost', 'httpx://localhost', 'xhttp://localhost',
    'https://tools.example:8443', 'http://tools.example', 'https://tools.example/', 'https://tools.example.evil.example', 'https://x.tools.example'
  ]) t.notOk(origin(value), JSON.stringify(value))
  t.notOk(list.allowsOrigin(['http://localhost', 'http://localhost']), 'twice')
})

t.test('HTTP-10: a configured origin is allowed letter by letter, whatever its scheme', async (t) => {
  const { origin, host } = setup({ allowedOrigins: ['https://tools.example', 'vscode-webview://panel'] })

  t.ok(origin('https://tools.example'))
  t.ok(origin('vscode-webview://panel'))
  t.notOk(origin('vscode-webview://other'))
  t.notOk(host('tools.example'), 'an origin is no host')
})

t.test('nothing but the allowed names with a port gets through, whatever is sent', async (t) => {
  const { host, origin } = setup({ allowedHosts: ['phones.example'] })
  const allowed = /^(?:localhost|127\.0\.0\.1|\[[0:]*:0*1\]|phones\.example)(?::\d{1,5})?$/i
  const piece = fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'phones.example', 'evil.example', '.', ':', '@', '/', '[', ']', '8484', '0', '#', '\\', ' ', '%', '\u212a', 'null')
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')))

  fc.assert(fc.property(value, (value) => {
    if (host(value) && !allowed.test(value)) throw new Error(`Host ${value} got through`)
    if (origin(`http://${value}`) && !allowed.test(value)) throw new Error(`Origin http://${value} got through`)
    if (origin(value) && !allowed.test(value.replace(/^https?:\/\//i, ''))) throw new Error(`Origin ${value} got through`)
  }), { numRuns: 5000 })
  t.pass('5000 values')
})

t.test('the form in which names are compared is stable', async (t) => {
  fc.assert(fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6()), (name) => {
    const once = parseHostName(name)
    return once !== undefined && parseHostName(once) === once && parseHostName(name.toUpperCase()) === once
  }))
  t.pass('names and addresses')
})

t.test('an address that only this machine reaches is known by its name', async (t) => {
  for (const host of ['localhost', '127.0.0.1', '::1', '[::1]']) t.ok(isLoopbackName(host), host)
  for (const host of ['0.0.0.0', '::', '127.0.0.2', '192.168.1.5', 'phones.example', 'not a host']) t.notOk(isLoopbackName(host), host)
})
