import fc from 'fast-check'
import t from 'tap'
import { createTokenVerifier, parseBearer } from '../../src/auth/verify-token.ts'

const token = 'kMgvS5RUCjrBoKZkz1xHu8VLYJ0x-i_pQ4l0dGnTkuo'

t.test('AUTH-04: the right token stands for the local principal, its scheme in any case', async (t) => {
  const { verify } = createTokenVerifier({ token })

  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    t.same(verify([`${scheme} ${token}`]), { issuer: 'mooring', subject: 'local', key: 'mooring\0local' }, scheme)
  }
  t.ok(verify([`Bearer   ${token}`]), 'more than one space')
})

t.test('AUTH-04: any other token, and any other form, stands for nobody', async (t) => {
  const { verify } = createTokenVerifier({ token })

  for (const value of [
    '', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer: ${token}`, `Bearer${token}`, `Bearer\t${token}`, ` Bearer ${token}`,
    `Bearer ${token} `, `Bearer ${token}=`, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token.toUpperCase()}`,
    `Bearer ${token} ${token}`, `Bearer ${token}, Bearer ${token}`, `Bearer ${token},x`, `Bearer "${token}"`, `Bearer ${token}\n`, `Bearer \0${token}`,
    `Token Bearer ${token}`, `Bearer Bearer ${token}`
  ]) t.equal(verify([value]), undefined, JSON.stringify(value))
})

t.test('AUTH-04: a missing header and a repeated header stand for nobody', async (t) => {
  const { verify } = createTokenVerifier({ token })

  t.equal(verify(undefined), undefined)
  t.equal(verify([]), undefined)
  t.equal(verify([`Bearer ${token}`, `Bearer ${token}`]), undefined)
})

t.test('only the very token is accepted', async (t) => {
  const { verify } = createTokenVerifier({ token })

  fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), (guess) => guess === token || verify([`Bearer ${guess}`]) === undefined))
  t.pass('whatever is guessed')
})

t.test('a bearer token is what stands behind the scheme, unless it is no token', async (t) => {
  t.equal(parseBearer(['Bearer a.b-c_d~e+f/g==']), 'a.b-c_d~e+f/g==')
  t.equal(parseBearer(['Bearer a=b']), undefined)
  t.equal(parseBearer(['Bearer ü']), undefined)
})

t.test('a principal cannot be changed by whoever gets it', async (t) => {
  const principal = createTokenVerifier({ token }).verify([`Bearer ${token}`])

  t.ok(Object.isFrozen(principal))
})
