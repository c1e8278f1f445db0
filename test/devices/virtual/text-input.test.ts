import t from 'tap'
import { command, middleOf, phoneBench, type PhoneBench } from './phone-bench.ts'

async function fields (platform: 'android' | 'ios' = 'android'): Promise<PhoneBench> {
  const bench = phoneBench({ platform })
  await bench.launch('kitchensink')
  await bench.tapOn('fields')
  return bench
}

t.test('typing needs a field with the focus', async (t) => {
  const bench = await fields()
  await t.rejects(bench.type('hello'), { code: 'no_focused_field' })
  await t.rejects(bench.driver.clearText(command), { code: 'no_focused_field' })

  await bench.tapOn('disabled_field')
  await t.rejects(bench.type('hello'), { code: 'no_focused_field' })

  await bench.tapOn('any_text')
  await bench.type('hello')
  t.match(await bench.find('any_text'), { role: 'field', text: 'hello', hint: 'Only a hint names this field', focused: true, password: false })
})

t.test('a password is told by its length alone', async (t) => {
  const bench = await fields()
  await bench.tapOn('secret')
  await bench.type('pä🔑')
  t.match(await bench.find('secret'), { text: '•••', password: true, description: 'Password' })
  t.notMatch(JSON.stringify(await bench.observe()), /pä|🔑/)
})

t.test('the keyboard covers the lower third, moves a covered field into sight, and types', async (t) => {
  const bench = await fields()
  await bench.tapOn('any_text')
  const { size, keyboardShown } = await bench.observe()
  const keyboard = await bench.find('Keyboard')
  t.equal(keyboardShown, true)
  t.same(keyboard.rect, { x: 0, y: 1_600, width: 1080, height: 800 })
  t.equal(size.height, 2_400)

  // The places of q and p, at the ends of the first row.
  for (const x of [55, 1_025]) await bench.driver.tap({ x, y: 1_680 }, { count: 1, holdMs: 0 }, command)
  t.equal((await bench.find('any_text')).text, 'qp')
  await bench.tapOn('Hide keyboard')
  t.match(await bench.observe(), { keyboardShown: false })
  t.equal((await bench.find('any_text')).focused, true)

  await bench.tapOn('notes')
  await bench.type('line\n'.repeat(8))
  await bench.tapOn('limited')
  const { rect, focused } = await bench.find('limited')
  t.equal(focused, true)
  t.equal(rect.y + rect.height, 1_600)
})

t.test('enter submits a field of one line and breaks the line in the others', async (t) => {
  const bench = await fields()
  await bench.tapOn('any_text')
  await bench.type('one\ntwo\n')
  t.equal((await bench.find('toast')).text, 'You wrote: one two')
  t.match(await bench.observe(), { keyboardShown: false })

  await bench.tapOn('notes')
  await bench.type('one')
  await bench.press('enter')
  await bench.type('two\tthree')
  t.equal((await bench.find('notes')).text, 'one\ntwo\tthree')
})

t.test('keys move the cursor, delete whole characters and go from field to field', async (t) => {
  const bench = await fields()
  await bench.tapOn('any_text')
  await bench.type('a👨‍👩‍👧é')
  await bench.press('left')
  await bench.press('delete')
  t.equal((await bench.find('any_text')).text, 'aé')
  await bench.press('up')
  await bench.type('<')
  await bench.press('down')
  await bench.type('>')
  t.equal((await bench.find('any_text')).text, '<aé>')
  await bench.driver.pressKey('delete', { count: 1, long: true }, command)
  t.equal((await bench.find('any_text')).text, undefined)

  await bench.press('tab')
  t.equal((await bench.find('secret')).focused, true)
  await bench.press('escape')
  t.match(await bench.observe(), { keyboardShown: false })
})

t.test('a field has a longest text and never holds half a character', async (t) => {
  const bench = await fields()
  await bench.tapOn('limited')
  await bench.type('123456789🔑')
  t.equal((await bench.find('limited')).text, '123456789')

  await bench.driver.clearText(command)
  await bench.type('\ud800a\udc00\u0007\u001b\r\n')
  t.equal((await bench.find('limited')).text, '\ufffda\ufffd')
})

t.test('ten thousand characters are taken and no more', async (t) => {
  const bench = await fields()
  await bench.tapOn('notes')
  await bench.type('Ω'.repeat(9_999))
  await bench.type('🔑🔑')
  t.equal((await bench.find('notes')).text?.length, 9_999)
  await bench.type('ab')
  await bench.press('back')
  await bench.swipe('up')
  t.equal((await bench.find('lengths')).text, '0, 0, 10000, 0 characters')
})

t.test('a field loses the focus with its screen', async (t) => {
  const bench = await fields('ios')
  await bench.tapOn('any_text')
  await bench.tapOn('Back')
  t.match(await bench.observe(), { keyboardShown: false })
  await t.rejects(bench.type('hello'), { code: 'no_focused_field' })
})

t.test('a second tap on a field keeps the text, and a tap elsewhere works with the keyboard up', async (t) => {
  const bench = phoneBench()
  await bench.launch('fieldnotes')
  await bench.tapOn('email')
  await bench.type('ada')
  await bench.driver.tap(middleOf((await bench.find('email')).rect), { count: 2, holdMs: 0 }, command)
  t.equal((await bench.find('email')).text, 'ada')
  await bench.tapOn('sign_in')
  t.equal((await bench.find('email_error')).text, 'This is not an e-mail address.')
})
