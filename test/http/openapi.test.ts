import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { exchange, type Reply } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

interface Operation { readonly requestBody?: unknown, readonly responses: Readonly<Record<string, unknown>> }
interface Document { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>, readonly components: { readonly responses: object } }

const document: Document = JSON.parse(readFileSync(join(packageRoot, 'openapi/openapi.json'), 'utf8'))
const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({
  path, method: method.toUpperCase(), ...operation
})))

async function setup (t: Test, flags: readonly string[] = []) {
  const test = await startTestApp(t, { flags: ['--body-limit-bytes', '1024', ...flags] })
  const authorization = `Bearer ${await test.token()}`
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> => await exchange({
    port: test.port, method, path, headers: { authorization, 'content-type': 'application/json', ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { ...test, authorization, ask }
}

t.test('every operation has every status with which the ingress may answer', async (t) => {
  t.ok(operations.length > 15)
  for (const { method, path, requestBody, responses } of operations) {
    const wanted = ['401', '403', '404', '405', '429', '503', 'default', ...(requestBody === undefined ? [] : ['413', '415'])]
    t.same(wanted.filter((status) => !(status in responses)), [], `${method} ${path}`)
  }
})

t.test('every status that is answered is in the document', async (t) => {
  const { port, authorization } = await setup(t)
  const bodies: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ['as it should not be', {}, '{"reason":1}'], ['no JSON', {}, '{'], ['another type', { 'content-type': 'text/plain' }, '{}'],
    ['encoded', { 'content-encoding': 'gzip' }, '{}'], ['large', {}, ' '.repeat(2_000)], ['no token', { authorization: '' }, '{}'],
    ['a foreign host', { host: 'evil.example' }, '{}'], ['nothing', {}, '']
  ]
  for (const { method, path, responses } of operations) {
    for (const [what, headers, body] of bodies) {
      for (const query of ['', '?limit=x&access_token=1', '?limit=0&unknown=1']) {
        const target = path.replace('{id}', 'nothing-like-it') + query
        const { status } = await exchange({ port, method, path: target, headers: { authorization, 'content-type': 'application/json', ...headers }, body })
        if (!(String(status) in responses)) t.fail(`${method} ${target}, ${what}: ${status}`)
      }
    }
  }
})

t.test('an unknown path is told all there are, and each of them is one', async (t) => {
  const { ask } = await setup(t)
  const { nextAction } = (await ask('GET', '/nope')).json()
  for (const path of ['/mcp', ...Object.keys(document.paths)]) t.ok(nextAction.includes(path), path)
  for (const path of String(nextAction).match(/\/[a-z/{}]+(?=[,;.]? )/g) ?? []) {
    if (path.startsWith('/openapi')) continue
    t.not((await ask('GET', path.replaceAll('{id}', 'x'))).json().error, 'Not found', path)
  }
})

t.test('one device can be looked at, with its lease', async (t) => {
  const { ask, app } = await setup(t)
  const lease = await app.leases.acquire({ holder: { principal: 'mooring\0ada' }, selector: { device: 'virtual-ios-1' }, signal: new AbortController().signal })

  const one = await ask('GET', '/devices/virtual-ios-1')
  t.equal(one.status, 200)
  t.match(one.json(), { device: { id: 'virtual-ios-1', state: 'leased', lease: { id: `virtual-ios-1:${lease.fence}` } } })
  t.notMatch(one.text, lease.handle)
  t.same((await ask('GET', '/devices')).json().devices.find(({ id }: { id: string }) => id === 'virtual-ios-1'), one.json().device)

  for (const id of ['nope', 'virtual', 'drain', 'virtual-ios', '%20', 'virtual-ios-1%2F']) {
    const none = await ask('GET', `/devices/${id}`)
    t.equal(none.status, 404, id)
    t.match(none.json(), { error: String, code: 'device_unknown', nextAction: String }, id)
  }
  t.match(await ask('PUT', '/devices/virtual-ios-1', {}), { status: 405, headers: { allow: 'GET, HEAD' } })
})

t.test('a misspelt member of an order is named, with the one that it may be meant for', async (t) => {
  const { ask } = await setup(t)
  const said = async (path: string, body: object): Promise<string> => {
    const reply = await ask('POST', path, body)
    t.equal(reply.status, 400)
    t.match(reply.json(), { code: 'invalid_request', retryable: false })
    return reply.json().error
  }
  t.match(await said('/devices/drain', { reson: 'x' }), /required property 'reason'; body must not have a member "reson", which may be meant for reason/)
  t.match(await said('/devices/drain', { reason: 'x', deadlinems: 5 }), /must not have a member "deadlinems", which may be meant for deadlineMs/)
  t.match(await said('/devices/virtual-ios-1/block', { Reason: 'x' }), /"Reason", which may be meant for reason/)
  t.match(await said('/devices/virtual', { platfrom: 'ios' }), /"platfrom", which may be meant for platform/)
  t.match(await said('/devices/virtual', { platform: 'ios', lables: [] }), /"lables", which may be meant for labels/)
  t.match(await said('/devices/drain', { why: 'x' }), /required property 'reason'$/)
  t.match(await said('/devices/drain', { reason: 'x', somethingElse: 1 }), /must not have a member "somethingElse"$/)
  const query = await ask('GET', '/audit?limti=5')
  t.match(query.json(), { code: 'invalid_request', error: /"limti", which may be meant for limit/ })
})

t.test('many strange members are no many words', async (t) => {
  const { ask } = await setup(t, ['--body-limit-bytes', '4194304'])
  const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`reaso${index}`, 1]))
  const reply = await ask('POST', '/devices/drain', body)
  t.equal(reply.status, 400)
  t.ok(reply.text.length < 10_000, `${reply.text.length} characters`)
})
