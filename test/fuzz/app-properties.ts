/* eslint no-template-curly-in-string: off -- it is the notation of app files */
/** What must hold for app files, link patterns, patterns of selectors and timers, whatever strangers make of them. */
import fc from 'fast-check'
import { Refusal } from '../../src/refusals/refusal.ts'
import { matchPattern } from '../../src/devices/screen/match-pattern.ts'
import { flattenTree } from '../../src/devices/screen/flatten-tree.ts'
import { parseLinkPattern } from '../../src/devices/virtual/apps/link-pattern.ts'
import { parseApp } from '../../src/devices/virtual/apps/load-apps.ts'
import { createExchange } from '../../src/devices/virtual/exchange.ts'
import { androidProfile } from '../../src/devices/virtual/phone/phone-profile.ts'
import { createVirtualPhone } from '../../src/devices/virtual/phone/virtual-phone.ts'
import { manualTime } from '../support/manual-time.ts'
import { meter, property, type FuzzProperty } from './fuzz-property.ts'
import { hostileText } from './hostile-values.ts'

/** One touch, look or file must not use the processor of its thread for longer, in a test too. */
function ensureQuick<Result> (what: string, work: () => Result): Result {
  return meter.measure(what, work)
}

function unlessRefused<Result> (work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const name = fc.constantFrom('a', 'b', 'list', 'text', 'count', 'item', 'index', 'nothing')
const expression: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof({ maxDepth: 4, depthSize: 'small' },
    name, fc.constantFrom('1', '\'x\'', 'true', 'null'),
    fc.tuple(tie('expression'), fc.constantFrom('+', '-', '*', '==', '<', 'and', 'or'), tie('expression')).map(([one, sign, other]) => `(${one} ${sign} ${other})`),
    fc.tuple(fc.constantFrom('length', 'trim', 'money'), tie('expression')).map(([called, one]) => `${called}(${one})`),
    fc.tuple(fc.constantFrom('countMatches', 'countEqual'), tie('expression')).map(([called, one]) => `${called}(list, 'a', ${one})`),
    fc.tuple(fc.constantFrom('contains', 'matches', 'sum', 'without'), tie('expression'), tie('expression')).map(([called, one, other]) => `${called}(${one}, ${other})`)
  )
})).expression
const template = fc.array(fc.oneof(expression.map((source) => `\${${source}}`), fc.constantFrom('x', ' ', '${text}', '${text}${text}')), { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''))

const action: fc.Arbitrary<unknown> = fc.letrec<{ action: unknown, actions: unknown[] }>((tie) => ({
  actions: fc.array(tie('action'), { maxLength: 5 }),
  action: fc.oneof({ maxDepth: 3, depthSize: 'small' },
    template.map((value) => ({ set: { text: value } })), expression.map((source) => ({ push: { to: 'list', item: `\${${source}}` } })),
    fc.constantFrom('back', { inc: { count: 1 } }, { goto: { screen: 'first', placed: 'onTop' } }, { goto: { screen: 'second', params: { a: '${list}' } } }, { push: { to: 'list', item: '${list}' } }),
    tie('actions').map((then) => ({ delay: { ms: 50, then: [...then, { goto: { screen: 'first', placed: 'replace' } }] } })),
    fc.tuple(expression, tie('actions')).map(([where, actions]) => ({ forEach: { in: 'list', where, do: actions } })),
    fc.tuple(expression, tie('actions'), tie('actions')).map(([claim, then, other]) => ({ ifElse: { if: claim, then, else: other } })),
    template.map((value) => ({ toast: value })), template.map((value) => ({ log: value }))
  )
})).action

const node: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof({ maxDepth: 3, depthSize: 'small' },
    template.map((text) => ({ role: 'text', text })),
    fc.tuple(template, fc.array(action, { maxLength: 4 })).map(([text, tap]) => ({ role: 'button', text, tap })),
    fc.tuple(template, fc.option(expression, { nil: undefined })).map(([text, visibleIf]) => ({ role: 'item', text, detail: text, repeat: { in: '500', as: 'item' }, ...(visibleIf === undefined ? {} : { visibleIf }) })),
    fc.constant({ role: 'field', bind: 'text', multiline: true }),
    fc.array(tie('node'), { maxLength: 4 }).map((content) => ({ role: 'column', content, repeat: { in: '500', as: 'item' } }))
  )
})).node

const app = fc.record({ content: fc.array(node, { minLength: 1, maxLength: 6 }), enter: fc.array(action, { maxLength: 6 }), more: fc.array(action, { maxLength: 4 }) })
  .map(({ content, enter, more }) => JSON.stringify({
    id: 'com.example.fuzz',
    name: 'Fuzz',
    version: '1',
    icon: 'F',
    color: '#112233',
    firstScreen: 'first',
    state: { a: '', b: '', text: 'word '.repeat(1_000), count: 0, list: Array.from({ length: 200 }, (_, index) => ({ a: `row ${index}` })), item: '', index: 0, nothing: '' },
    screens: { first: { title: 'First', content, enter }, second: { title: 'Second', content, enter: more } }
  }))

/** Texts that are hard on a reader: many keys, deep nesting, aliases, misfits by the thousand. */
const strangeFile = fc.oneof(
  fc.nat({ max: 13_000 }).map((count) => Array.from({ length: count }, (_, index) => `k${index}:`).join('\n')),
  fc.tuple(fc.constantFrom('[', '{', '{a: [', '- ', '? '), fc.nat({ max: 20_000 })).map(([part, count]) => part.repeat(count)),
  fc.nat({ max: 12 }).map((depth) => ['a0: &a0 [x, x, x, x, x, x, x, x, x]', ...Array.from({ length: depth }, (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 9 }, () => `*a${at}`).join(', ')}]`)].join('\n')),
  fc.tuple(fc.nat({ max: 1_000 }), fc.nat({ max: 1_500 })).map(([names, misfits]) => JSON.stringify({
    id: 'com.example.fuzz',
    name: 'Fuzz',
    version: '1',
    icon: 'F',
    color: '#112233',
    firstScreen: 'first',
    state: Object.fromEntries(Array.from({ length: names }, (_, at) => [`name${at}`, 0])),
    screens: Object.fromEntries(Array.from({ length: Math.ceil(misfits / 200) }, (_, screen) => [`s${screen}`, { title: '', content: Array.from({ length: 200 }, () => ({ role: 'text', text: '${missing}' })) }]))
  })),
  fc.array(hostileText, { maxLength: 60 }).map((texts) => texts.join('\n')),
  app.chain((text) => fc.nat({ max: Math.max(0, text.length - 1) }).map((at) => `${text.slice(0, at)}${text.slice(at + 1)}`))
).map((text) => text.slice(0, 65_536))

const linkPart = fc.constantFrom('{a}', '{b}', '{c}', 'a', 'aa', '/', '-', '.')
const regexPart = fc.constantFrom('a', '(a+)+', '(a|a)*', '.*', '(?:.*?a){20}', '\\w+\\d', '[ab]*', '(?=a)', 'b$', '|', '^')

export const appProperties: readonly FuzzProperty[] = [
  property('an app file of any text is read or refused in little time', 40, [strangeFile], (text) => {
    ensureQuick('reading an app file', () => unlessRefused(() => parseApp(text, 'x.yaml', { allowsAliases: false })))
  }),
  property('no app makes one look or one touch last, or its screens or data large', 15, [app, fc.array(fc.record({ x: fc.nat({ max: 1_079 }), y: fc.nat({ max: 2_399 }), passesMs: fc.constantFrom(0, 60, 3_600_000) }), { maxLength: 6 }), fc.boolean()], (text, touches, records) => {
    const definition = unlessRefused(() => parseApp(text, 'x.yaml'))
    if (definition === undefined) return
    const time = manualTime(0)
    const ids = { bytes: (size: number) => Buffer.alloc(size) }
    const phone = createVirtualPhone({ profile: androidProfile, apps: [definition], clock: time.clock, ids, exchange: createExchange(ids) })
    if (records) phone.startRecording(600_000)
    ensureQuick('launching', () => phone.launchApp(definition.id, { clearData: false, restart: false }))
    for (const { x, y, passesMs } of touches) {
      time.advance(passesMs)
      ensureQuick('a look', () => flattenTree(phone.look().root))
      ensureQuick('a touch', () => phone.tap({ x, y }, { count: 1, holdMs: 0 }))
    }
  }),
  property('no link pattern makes matching last', 200, [fc.array(linkPart, { maxLength: 60 }), fc.nat({ max: 2_000 }), fc.constantFrom('', '/', '?', '!')], (parts, length, end) => {
    ensureQuick('matching a link', () => parseLinkPattern(`x://${parts.join('')}`)?.match(`x://${'a'.repeat(length)}${end}`))
  }),
  property('no pattern of a selector makes searching last', 10, [fc.array(regexPart, { minLength: 1, maxLength: 8 }), fc.nat({ max: 400 })], (parts, length) => {
    ensureQuick('searching', () => unlessRefused(() => matchPattern(parts.join('').slice(0, 200), [[`${'a'.repeat(length)}!`]])))
  })
]
