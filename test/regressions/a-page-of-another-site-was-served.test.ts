/** A picture or a link in a page of another site carries no Origin, but its browser says where it is from. */
import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('HTTP-11: a request of a page of another site is refused, with or without the token', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 0, flags: ['--open-probes', '--allowed-origins', 'https://tools.example'] })
  const authorization = `Bearer ${await token()}`
  const statusOf = async (headers: Record<string, string>, path = '/status'): Promise<number> =>
    (await exchange({ port, method: 'GET', path, headers })).status

  for (const site of ['cross-site', 'Cross-Site', 'none, cross-site']) {
    t.equal(await statusOf({ authorization, 'sec-fetch-site': site }), 403, site)
    t.equal(await statusOf({ 'sec-fetch-site': site }, '/livez'), 403, 'an open probe too')
  }
  t.equal(await statusOf({ authorization, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }), 403)
  t.equal(await statusOf({ authorization, 'sec-fetch-site': 'cross-site', origin: 'null' }), 403)

  const named = { 'sec-fetch-site': 'cross-site', origin: 'https://tools.example' }
  t.equal(await statusOf({ authorization, ...named }), 200, 'a page that is allowed by name')
  for (const site of ['same-origin', 'same-site', 'none']) {
    t.equal(await statusOf({ authorization, 'sec-fetch-site': site }), 200, site)
  }
})
