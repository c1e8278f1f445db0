import t from 'tap'
import { wrapText, limitLines, tailThatFits } from '../../src/devices/virtual/screen/wrap-text.ts'
import { cut, shorten } from '../../src/text/quote.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const family = '👨‍👩‍👧‍👦'

async function setup (t: Parameters<typeof startTestApp>[0]) {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})
  const run = (name: string, args: object) => wire.call(name, { lease, ...args })
  await run('installApp', {
    observe: 'none', definition: `
id: com.example.form
name: Form
version: '1'
icon: F
color: '#123456'
firstScreen: form
state: { short: '', code: '', text: '', pin: '', full: 'there' }
screens:
  form:
    title: Form
    content:
      - { role: field, id: short, bind: short, label: Short, maxLength: 10 }
      - { role: field, id: text, bind: text, label: Text }
      - { role: field, id: pin, bind: pin, label: PIN, password: true, maxLength: 4 }
      - { role: field, id: full, bind: full, label: Full }
`
  })
  await run('launchApp', { app: 'com.example.form', observe: 'none' })
  return { run, type: (text: string, id: string, more: object = {}) => run('inputText', { text, into: { id }, observe: 'none', ...more }) }
}

t.test('what a field did not take is told, with what it holds', async (t) => {
  const { type, run } = await setup(t)

  const short = await type('01234567890123456789', 'short')
  t.match(short.content[0].text, /^Typed 20 characters into e\d+ field "Short"\. The field took only 10 of them: it holds "0123456789"\.$/)
  t.match(short.structuredContent, { characters: 20, value: '0123456789', valueLength: 10 })
  t.match((await type('one\ntwo\tthree', 'text')).content[0].text, / Line feeds and tabs became blanks: it holds "one two three"\.$/)
  t.match((await type('!', 'full')).content[0].text, / The field holds "there!" now\.$/)
  t.match((await type('123456', 'pin')).content[0].text, / The field took only 4 of them: it holds 4 characters\.$/)
  t.equal((await type('new', 'full', { clear: true })).content[0].text.includes('holds'), false, 'nothing is said of a text that was taken as it is')
  t.match((await run('inputText', { text: 'abc', observe: 'none' })).content[0].text, /The field holds "newabc" now\.$/, 'also where no field was named')
})

t.test('a field that is full takes whole characters only', async (t) => {
  const { type } = await setup(t)

  t.match((await type(`abcde${family}`, 'short')).structuredContent, { value: 'abcde' })
  t.match((await type('🇩🇪🇫🇷🇮🇹', 'short', { clear: true })).structuredContent, { value: '🇩🇪🇫🇷' })
})

t.test('nothing is cut within a character', (t) => {
  for (const character of [family, '🇩🇪', 'e\u0301', '한'.normalize('NFD'), '👍🏽', '1️⃣', '\r\n', '😀']) {
    for (let limit = 0; limit <= character.length * 2 + 2; limit++) {
      const shown = cut(`a${character}${character}b`, limit)
      t.ok(['', 'a', `a${character}`, `a${character}${character}`, `a${character}${character}b`].includes(shown), `${limit}`)
    }
  }
  t.equal(shorten(`${family}x`, 4), '…')
  const fit = { width: 30, size: 16, bold: false }
  const drawn = [...wrapText(family.repeat(4), fit), ...limitLines(wrapText(family.repeat(4), fit), 1, fit), tailThatFits(family.repeat(4), { ...fit, width: 300 })]
  for (const { text } of drawn) t.equal(text.replaceAll(family, '').replace('…', ''), '')
  t.end()
})
