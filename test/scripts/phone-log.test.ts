import t from 'tap'
import { createPhoneLogCheck, type LoggedAction } from '../../scripts/crash/phone-log.ts'

/** An action of a client, from one instant to another. */
function action (words: string, fence: number, begunAtMs: number, endedAtMs: number | undefined = begunAtMs + 5): LoggedAction {
  return { phone: 'phone-1', operation: 'tap', fence, words, begunAtMs, endedAtMs }
}

function setup () {
  return createPhoneLogCheck(({ words }) => words === '' ? undefined : words)
}

t.test('one holder after the other is fine, with cleanups between them and several commands at once', (t) => {
  const check = setup()
  t.same(check.read([action('ada', 1, 0), action('ada', 1, 3), action('', 2, 10), action('bob', 3, 20)]), [])
  t.same(check.read([action('bob', 3, 30), action('', 4, 40)]), [])
  t.end()
})

t.test('an action of an earlier lease is told, also when it comes with a later part of the log', (t) => {
  const check = setup()
  t.same(check.read([action('ada', 1, 0), action('bob', 2, 10)]), [])
  t.match(check.read([action('ada', 1, 20)]), [/under fence 1 after fence 2/])
  t.end()
})

t.test('two clients under one fence are told', (t) => {
  t.match(setup().read([action('ada', 1, 0), action('bob', 1, 10)]), [/obeyed bob under fence 1 of ada/])
  t.end()
})

t.test('a client under a fence that the gateway gave to another is told', (t) => {
  const check = setup()
  check.expect('phone-1', 1, 'ada')
  t.match(check.read([action('bob', 1, 0)]), [/obeyed bob under fence 1 of ada/])
  t.end()
})

t.test('an action that begins while one under another fence goes on is told', (t) => {
  t.match(setup().read([action('ada', 1, 0, 15), action('bob', 2, 10)]), [/began tap under fence 2 while it obeyed fence 1/])
  t.end()
})

t.test('phones are looked at one by one', (t) => {
  t.same(setup().read([action('ada', 5, 0, 50), { ...action('bob', 1, 10), phone: 'phone-2' }]), [])
  t.end()
})
