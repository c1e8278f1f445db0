import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a path that looks like a pattern of the router is an unknown path like any other', async (t) => {
  const { port, token, log } = await startTestApp(t)
  const authorization = `Bearer ${await token()}`

  for (const path of ['/:(', '/:a(b', '/:a(^(a+)+$)', '/*', '/::', '/:a-:b', '*', '/mcp(', '/__proto__', '/constructor']) {
    t.equal((await exchange({ port, method: 'GET', path, headers: { authorization } })).status, 404, path)
  }
  t.notMatch(log(), /"level":50/)
})

t.test('VAL-01: what is in the body does not matter for a path or method that does not exist', async (t) => {
  const { port, token } = await startTestApp(t)
  const authorization = `Bearer ${await token()}`

  for (const body of ['', '{', '{"__proto__":1}', ' '.repeat(100_000)]) {
    const headers = { authorization, 'content-type': 'application/json', 'content-length': String(body.length) }
    t.equal((await exchange({ port, path: '/nope', headers, body })).status, 404)
    t.equal((await exchange({ port, path: '/status', headers, body })).status, 405)
    t.equal((await exchange({ port, method: 'PUT', headers, body })).status, 405)
    t.equal((await exchange({ port, method: 'OPTIONS', headers, body })).status, 405)
  }
})
