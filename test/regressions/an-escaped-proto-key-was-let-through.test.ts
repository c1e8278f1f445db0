/** `__pro\\u0074o__` is `__proto__` to a parser, and passed a search of the text for two of its letters. */
import t from 'tap'
import { parseJsonBody } from '../../src/protocol/json-body.ts'

t.test('RPC-01: a __proto__ key is refused whichever of its letters are escaped', (t) => {
  const letters = [...'__proto__']
  for (let escaped = 0; escaped < 2 ** letters.length; escaped++) {
    const key = letters.map((letter, at) => (escaped & 2 ** at) === 0 ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    for (const spelled of [key, key.replaceAll('6f', '6F').replaceAll('5f', '5F')]) {
      const parsed = parseJsonBody(Buffer.from(`{"params":{"${spelled}":{}}}`))
      if (parsed.ok) t.fail(spelled)
    }
  }
  t.match(parseJsonBody(Buffer.from('{"pro\\u0074o":1}')), { ok: true, value: { proto: 1 } })
  t.end()
})
