import fc from 'fast-check'
import t from 'tap'
import { textWidth } from '../../../src/devices/virtual/screen/text-width.ts'
import { limitLines, tailThatFits, wrapText } from '../../../src/devices/virtual/screen/wrap-text.ts'

const fit = { width: 200, size: 20, bold: false }
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.constantFrom('word', ' ', '\n', 'Donaudampfschifffahrtsgesellschaft', '🔑', 'שלום'), { maxLength: 30 }).map((parts) => parts.join('')))

t.test('lines break at spaces, at line feeds, and inside words that are too long', async (t) => {
  const lines = wrapText('The tide came in over the flats.\nDonaudampfschifffahrt', fit)
  t.same(lines.map(({ text }) => text), ['The tide came in ', 'over the flats.', 'Donaudampfschifffa', 'hrt'])
  t.same(lines.map(({ start }) => start), [0, 17, 33, 51])
  t.same(wrapText('', fit), [{ text: '', start: 0 }])
})

t.test('wrapping loses no character, and no line is wider than it may be', async (t) => {
  const holds = fc.property(anyText, (text) => {
    const lines = wrapText(text, fit)
    const isWhole = lines.every((line, index) => {
      const next = lines[index + 1]?.start ?? text.length
      return text.slice(line.start, next).replace(/\n$/, '') === line.text
    })
    const fits = lines.every((line) => [...line.text].length <= 1 || textWidth(line.text.trimEnd(), fit.size, false) <= fit.width + 1e-6)
    return isWhole && fits
  })

  t.doesNotThrow(() => fc.assert(holds))
})

t.test('too many lines end in an ellipsis that still fits', async (t) => {
  const lines = limitLines(wrapText('one two three four five six seven eight nine ten', fit), 2, fit)
  t.equal(lines.length, 2)
  t.match(lines[1]?.text, /…$/)
  t.ok(textWidth(lines[1]?.text ?? '', fit.size, false) <= fit.width)
  t.same(limitLines(wrapText('short', fit), 2, fit), [{ text: 'short', start: 0 }])
})

t.test('a tail is the end of a text and never begins with half a character', async (t) => {
  const holds = fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
    const tail = tailThatFits(text, fit)
    return text.endsWith(tail.text) && tail.start === text.length - tail.text.length && !/^[\uDC00-\uDFFF]/.test(tail.text) &&
      textWidth(tail.text, fit.size, false) <= fit.width + 1e-6
  })

  t.doesNotThrow(() => fc.assert(holds))
})
