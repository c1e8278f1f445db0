/** Ajv read hundreds of digits as infinity, which passes every bound, and the database refused it. */
import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a number in a query is digits within its bounds, and anything else is 400', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 0 })
  const headers = { authorization: `Bearer ${await token()}` }
  const ask = async (query: string) => await exchange({ port, method: 'GET', path: `/audit?${query}`, headers })

  for (const value of ['9'.repeat(400), '-' + '9'.repeat(400), '1e999', 'Infinity', 'NaN', '1e2', '0x10', '1.0', '', '%20', 'null', 'true', '-0', '9007199254740993', '9999999999999999']) {
    for (const name of ['limit', 'before']) {
      const reply = await ask(`${name}=${value}`)
      t.equal(reply.status, 400, `${name}=${value.slice(0, 20)}`)
      t.match(reply.json(), { error: new RegExp(`^Invalid request: querystring.${name} `), code: 'invalid_request' })
    }
  }
  t.equal((await ask('limit=1&limit=2')).status, 400)
  t.equal((await ask('limit=1000&before=9007199254740991')).status, 200)
  t.equal((await ask('')).status, 200)
})
