/* eslint no-template-curly-in-string: off -- it is the notation of app files */
import fc from 'fast-check'
import t from 'tap'
import { parseExpression } from '../../../src/devices/virtual/apps/expression.ts'
import type { JsonObject } from '../../../src/devices/virtual/apps/json-value.ts'
import { parseTemplate } from '../../../src/devices/virtual/apps/text-template.ts'

const state: JsonObject = {
  email: 'ada@example.com',
  tries: 2,
  done: false,
  empty: '',
  notes: [{ id: 1, title: 'Heron', cents: 150 }, { id: 2, title: 'Seal', cents: 250 }],
  profile: { name: 'Ada' }
}

function evaluate (source: string) {
  const parsed = parseExpression(source)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.expression.evaluate({ layers: [state] })
}

function render (source: string) {
  const parsed = parseTemplate(source)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.expression.evaluate({ layers: [state] })
}

t.test('expressions compare, combine, calculate and call a closed list of functions', async (t) => {
  const expected = [
    ['tries == 2', true], ['tries != 2', false], ['tries >= 3', false], ['\'a\' < \'b\'', true],
    ['not done and tries > 1', true], ['not not done', false], ['done or empty == \'\'', true],
    ['1 + 2 * 3', 7], ['(1 + 2) * 3', 9], ['3 - 1 - 1', 1], ['\'n\' + tries', 'n2'],
    ['length(notes)', 2], ['length(email)', 15], ['contains(email, \'@\')', true], ['contains(notes, 1)', false],
    ['matches(\'Wi-Fi\', \' wi\')', true], ['countMatches(notes, \'title\', \'s\')', 1], ['countEqual(notes, \'title\', \'Sea\')', 0], ['countEqual(notes, \'title\', \'Seal\')', 1], ['trim(\' a \')', 'a'],
    ['choose(done, \'yes\', \'no\')', 'no'], ['money(sum(notes, \'cents\'))', '4.00'], ['length(without(notes, 0))', 1],
    ['profile.name', 'Ada']
  ] as const
  for (const [source, value] of expected) t.equal(evaluate(source), value, source)
})

t.test('what is missing is null, and inherited members are missing', async (t) => {
  for (const source of ['nothing', 'profile.age', 'email.length', 'notes.length', 'profile.constructor', 'constructor', 'toString', 'null']) {
    t.equal(evaluate(source), null, source)
  }
  t.equal(evaluate('tries < empty'), false, 'values of two kinds have no order')
})

t.test('a mistake is told with what is wrong', async (t) => {
  const mistakes = [
    ['a ==', /something is missing at the end/], ['a b', /unexpected "b"/], ['eval(a)', /no function "eval" \(functions: length/],
    ['length()', /unexpected "\)"/], ['length(a, b)', /length takes 1 argument/], ['a.1', /a name has to follow "."/],
    ['a[0]', /unexpected "\["/], ['\'open', /unexpected "'"/], ['', /something is missing/], ['('.repeat(40), /nested too deeply/],
    ['a '.repeat(300), /longer than 500/]
  ] as const
  for (const [source, problem] of mistakes) {
    const parsed = parseExpression(source)
    t.match(parsed.ok ? 'no problem' : parsed.problem, problem, source.slice(0, 20))
  }
})

t.test('a template is a text, or the value of the one part it consists of', async (t) => {
  t.equal(render('Hello ${profile.name}, ${length(notes)} notes'), 'Hello Ada, 2 notes')
  t.equal(render('${notes}'), state['notes'])
  t.equal(render('${tries}'), 2)
  t.equal(render('a ${\'}\'} b'), 'a } b')
  t.equal(render('$${tries} costs $5'), '${tries} costs $5')
  t.equal(render('${nothing} and ${notes}'), ' and ')
  t.match(parseTemplate('${tries'), { ok: false, problem: /never closed/ })
})

t.test('no text makes the parser throw, and what it accepts evaluates', async (t) => {
  const words = fc.constantFrom('tries', 'not', 'and', 'or', '(', ')', '==', '<', '+', '*', '.', ',', 'length', '1', '\'x\'', 'notes', '"')
  const anyText = fc.oneof(fc.string(), fc.array(words, { maxLength: 20 }).map((parts) => parts.join(' ')))
  const holds = fc.property(anyText, (source) => {
    const parsed = parseExpression(source)
    return parsed.ok ? parsed.expression.evaluate({ layers: [state] }) !== undefined : parsed.problem !== ''
  })

  t.doesNotThrow(() => fc.assert(holds))
})
