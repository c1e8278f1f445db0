import t from 'tap'
import { redactUri } from '../../src/telemetry/redact-uri.ts'

t.test('what is no secret stays', async (t) => {
  for (const uri of ['mooring://devices', 'mooring://devices/virtual-android-1', 'file:///home/ada/a%20b.txt', 'custom:thing']) {
    t.equal(redactUri(uri), decodeURIComponent(uri))
  }
})

t.test('a lease handle is cut short, also one in percent signs', async (t) => {
  const handle = 'ls_n9k5gi8fZu_6WV_HvobvTA'

  t.equal(redactUri(`mooring://leases/${handle}/screen`), 'mooring://leases/ls_n9k…/screen')
  t.equal(redactUri(`mooring://leases/${[...handle].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')}/screen`), 'mooring://leases/ls_n9k…/screen')
  t.equal(redactUri(`x:${handle},${handle}`), 'x:ls_n9k…,ls_n9k…')
})

t.test('credentials, query and fragment are left out, however they are written', async (t) => {
  t.equal(redactUri('https://ada:secret@example.com/a?token=x#y'), 'https://example.com/a')
  t.equal(redactUri('https://ada%3Asecret%40example.com/a'), 'https://example.com/a')
  t.equal(redactUri('https://example.com/a%3Ftoken=x'), 'https://example.com/a')
  t.equal(redactUri('https://example.com/a\n?token=x\ny'), 'https://example.com/a\n')
})

t.test('a URI is shortened, and one that cannot be read is not shown', async (t) => {
  t.equal(redactUri(`x:${'a'.repeat(1_000)}`)?.length, 256)
  t.equal(redactUri('x:%zz'), undefined)
  t.equal(redactUri('x:%ff'), undefined)
})
