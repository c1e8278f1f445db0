/**
 * Classes of advisories about other MCP servers: a name that was made to point here (CVE-2025-66414,
 * CVE-2025-66416, CVE-2026-34742, CVE-2026-42559, CVE-2025-64443, CVE-2026-59950), and requests that a
 * page of another site may send without asking (CVE-2026-33252).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ConfigRefusal } from '../../src/config/config-refusal.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { exchange } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

interface Document { readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>> }

const { paths }: Document = JSON.parse(readFileSync(join(packageRoot, 'openapi/openapi.json'), 'utf8'))

/** Every route there is, and places where there is none. */
const routes: ReadonlyArray<{ readonly method: string, readonly path: string, readonly takesBody: boolean }> = [
  ...Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { requestBody }]) => ({
    method: method.toUpperCase(), path: path.replace('{id}', 'virtual-android-1'), takesBody: requestBody !== undefined
  }))),
  { method: 'POST', path: '/mcp', takesBody: true },
  ...['/nope', '/.well-known/oauth-protected-resource', '/register'].map((path) => ({ method: 'GET', path, takesBody: false }))
]

t.test('HTTP-10, HTTP-11: no route answers under a foreign name or to a foreign page, with the token and with open probes too', async (t) => {
  const { port, token } = await startTestApp(t, { flags: ['--open-probes'] })
  const authorization = `Bearer ${await token()}`
  const foreign: ReadonlyArray<Record<string, string>> = [
    { host: 'rebound.example' }, { host: `rebound.example:${port}` }, { host: `127.0.0.1.rebound.example:${port}` }, { host: '0.0.0.0' }, { host: '2130706433' },
    { host: '0x7f.1' }, { host: '[::ffff:127.0.0.1]' }, { host: 'localhost.' }, { host: `localhost:${port}@rebound.example` },
    { host: 'localhost', origin: 'http://rebound.example' }, { host: 'localhost', origin: 'null' }, { host: 'localhost', origin: 'file://' },
    { host: 'localhost', 'sec-fetch-site': 'cross-site' }
  ]
  t.ok(routes.length > 20)
  for (const { method, path } of routes) {
    for (const headers of foreign) {
      const { status } = await exchange({ port, method, path, headers: { authorization, ...headers } })
      if (status !== 403) t.fail(`${status} for ${method} ${path} with ${JSON.stringify(headers)}`)
    }
  }
})

t.test('HTTP-12: an address that others can reach needs the names under which it may be called', async (t) => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'host.example']) {
    t.throws(() => loadConfig({ argv: ['--host', host], env: { HOME: '/nowhere' }, cwd: '/' }), ConfigRefusal, host)
  }
})

t.test('HTTP-03: whatever takes a body takes no type that a page may send unasked', async (t) => {
  const { port, token, app } = await startTestApp(t, { phones: 1 })
  const authorization = `Bearer ${await token()}`
  const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain; charset=application/json', '', undefined]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'acquireDevice', arguments: {} }, reason: 'r', platform: 'ios' })

  for (const { method, path } of routes.filter(({ takesBody }) => takesBody)) {
    for (const type of simple) {
      const { status } = await exchange({ port, method, path, headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }) }, body })
      if (status !== 415) t.fail(`${status} for ${method} ${path} with ${String(type)}`)
    }
  }
  t.same(await app.leases.list(), [])
  t.equal((await app.leases.devices()).length, 1)
})

t.test('AUTH-04: no cookie and no address lets a page in that its browser sends along', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const value = await token()
  for (const headers of [{ cookie: `token=${value}` }, { cookie: `authorization=Bearer ${value}` }, { 'proxy-authorization': `Bearer ${value}` }]) {
    for (const { method, path } of routes.filter(({ path }) => !/well-known|register/.test(path))) {
      const { status } = await exchange({ port, method, path, headers })
      if (status !== 401) t.fail(`${status} for ${method} ${path}`)
    }
  }
})
