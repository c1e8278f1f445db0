/**
 * What a client hears that comes with the token of an earlier start, or with none: the official
 * clients, with and without OAuth, and any other.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { auth as authV1, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { OAuthErrorResponseSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { rawConnection } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

const info = { name: 'test', version: '1' }
const started = startTestApp(t)

/** An OAuth client that would open a browser, and counts how often. */
function oauthClient (): OAuthClientProvider & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 'test' },
    clientInformation: () => undefined,
    saveClientInformation: () => { asked.push('saved a registration') },
    tokens: () => undefined,
    saveTokens: () => { asked.push('saved tokens') },
    redirectToAuthorization: (url) => { asked.push(url.href) },
    saveCodeVerifier: () => {},
    codeVerifier: () => 'none'
  }
}

async function failureOf (work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing failed')
}

t.test('AUTH-06, ERR-13: a wrong token is 401 with what to do, for people, programs and OAuth clients', async (t) => {
  const { port } = await started
  const reply = await exchange({ port, headers: { authorization: 'Bearer of-the-last-start' } })

  t.equal(reply.status, 401)
  t.match(reply.headers['www-authenticate'], /^Bearer error="invalid_token", error_description="[ !#-[\]-~]+"$/)
  t.match(reply.json(), { error: 'Unauthorized', error_description: /each start makes a new one.*token file/, nextAction: /token file/ })
  t.ok(OAuthErrorResponseSchema.safeParse(reply.json()).success)
})

t.test('AUTH-06: without a token of the scheme Bearer there is no error code, and with a bad one there is', async (t) => {
  const { port } = await started
  const none = await exchange({ port })
  t.equal(none.headers['www-authenticate'], 'Bearer')
  t.match(none.json(), { error: 'Unauthorized', error_description: /carries no token/, nextAction: String })

  const refusedFor = async (authorization: string) => {
    const reply = await exchange({ port, headers: { authorization } })
    t.equal(reply.status, 401, authorization)
    return { header: reply.headers['www-authenticate'], description: String(reply.json().error_description) }
  }
  for (const authorization of ['Bearer', 'bearer ', 'Bearer $' + '{MOORING_TOKEN}', 'Bearer a b', 'Bearer a, Bearer b']) {
    const { header, description } = await refusedFor(authorization)
    t.match(header, /error="invalid_token"/, authorization)
    t.match(description, /a variable that it is made from may have been empty/, authorization)
  }
  for (const authorization of ['Basic YTpi', 'Bearerx', 'Token abc', 'a-token-alone']) {
    const { header, description } = await refusedFor(authorization)
    t.equal(header, 'Bearer', authorization)
    t.match(description, /does not begin with the scheme Bearer\. .*Send it as Authorization: Bearer/, authorization)
  }
  const empty = await refusedFor('')
  t.equal(empty.header, 'Bearer')
  t.match(empty.description, /is empty; a variable that it is made from may have been empty/)
})

t.test('what a caller sent as its token is repeated nowhere', async (t) => {
  const { port, log } = await started
  const reply = await exchange({ port, headers: { authorization: 'Bearer looks-like-a-secret' } })
  t.notMatch(reply.text + JSON.stringify(reply.headers) + log(), 'looks-like-a-secret')
})

t.test('where there is no OAuth, every place where clients look for it is 404, with and without a token', async (t) => {
  const { port, token } = await started
  const places = [
    '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp', '/.well-known/openid-configuration', '/mcp/.well-known/openid-configuration',
    '/register', '/authorize?response_type=code', '/token', '/register/', '/.well-known/anything'
  ]
  for (const authorization of [undefined, 'Bearer stale', `Bearer ${await token()}`]) {
    for (const path of places) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) }
        const reply = await exchange({ port, method, path, headers, ...(method === 'POST' ? { body: '{}' } : {}) })
        t.equal(reply.status, 404, `${method} ${path} ${String(authorization)}`)
        t.notOk(reply.headers['www-authenticate'])
        t.match(OAuthErrorResponseSchema.parse(reply.json()), { error: 'not_found', error_description: /no OAuth.*Authorization: Bearer/ })
      }
    }
  }
})

t.test('what merely looks like such a place is as closed as before', async (t) => {
  const { port } = await started
  for (const path of ['/registers', '/a/register', '/token.txt', '/tokens', '/well-known/x', '/.well-knownx', '/x.well-known/y', '/%2ewell-known/x']) {
    t.equal((await exchange({ port, method: 'GET', path })).status, 401, path)
  }
})

t.test('VAL-02: Host and Origin come before, there too', async (t) => {
  const { port } = await started
  for (const headers of [{ host: 'evil.example' }, { host: 'localhost', origin: 'https://evil.example' }]) {
    t.equal((await exchange({ port, method: 'GET', path: '/.well-known/oauth-protected-resource', headers })).status, 403)
  }
})

t.test('a client without a token is let go after such an answer: nothing it pipelined is read', async (t) => {
  const { port } = await started
  const connection = await rawConnection(port)
  connection.send('GET /register HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2))
  const first = await connection.next()
  t.match(first, { status: 404, headers: { connection: 'close' } })
  t.equal(await connection.next(), undefined)
})

t.test('the official clients stop at once and show what to do', async (t) => {
  const { url } = await started
  const headers = { Authorization: 'Bearer of-the-last-start' }
  const advice = /Read the token file of the server again/

  const v1 = new ClientV1(info)
  t.match((await failureOf(v1.connect(new TransportV1(new URL(url), { requestInit: { headers } })))).message, advice)
  for (const mode of [{ pin: '2026-07-28' }, 'auto', 'legacy'] as const) {
    const v2 = new ClientV2(info, { versionNegotiation: { mode } })
    const failure = await failureOf(v2.connect(new TransportV2(new URL(url), { requestInit: { headers } })))
    t.match(textOf(failure), advice, JSON.stringify(mode))
  }
})

t.test('the official clients with OAuth ask for no login: the search for one ends with what to do', async (t) => {
  const { url } = await started
  const headers = { Authorization: 'Bearer of-the-last-start' }
  const advice = /There is no OAuth here. Send the token of this server/

  const ofV1 = oauthClient()
  t.match((await failureOf(authV1(ofV1, { serverUrl: url }))).message, advice)
  const v1 = new ClientV1(info)
  t.match((await failureOf(v1.connect(new TransportV1(new URL(url), { requestInit: { headers }, authProvider: ofV1 })))).message, advice)
  t.same(ofV1.asked, [])

  for (const mode of [{ pin: '2026-07-28' }, 'auto', 'legacy'] as const) {
    const ofV2 = oauthClient()
    const v2 = new ClientV2(info, { versionNegotiation: { mode } })
    const failure = await failureOf(v2.connect(new TransportV2(new URL(url), { requestInit: { headers }, authProvider: ofV2 })))
    t.match(textOf(failure), advice, JSON.stringify(mode))
    t.same(ofV2.asked, [])
  }
})

/** The message of a failure and of what caused it. */
function textOf (error: Error): string {
  const { cause } = error
  return `${error.message} ${JSON.stringify(error)} ${cause instanceof Error ? textOf(cause) : ''}`
}
