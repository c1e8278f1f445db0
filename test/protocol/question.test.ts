import t from 'tap'
import { allNeeds, isDeclared, rootsQuestion, urlQuestion } from '../../src/protocol/question.ts'
import { formQuestion, type FormField } from '../../src/protocol/form-question.ts'
import { samplingQuestion } from '../../src/protocol/sampling-question.ts'

const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }] as const

function form (field: FormField, { isRequired = true } = {}) {
  return formQuestion({ message: 'Fill in', fields: { field }, required: isRequired ? ['field'] : [] })
}

function accepts (field: FormField, value: unknown): boolean {
  return form(field).answer.safeParse({ action: 'accept', content: { field: value } }).success
}

t.test('CAP-01, MRTR-03: a client can be asked what it declared, and elicitation without a mode means forms', async (t) => {
  const asked = form({ type: 'boolean' })
  const url = urlQuestion({ message: 'Open', url: 'https://example.com/' })
  const roots = rootsQuestion()
  const sampling = samplingQuestion({ messages, maxTokens: 10 })
  const withTools = samplingQuestion({ messages, maxTokens: 10, tools: [{ name: 'tap' }] })
  const withContext = samplingQuestion({ messages, maxTokens: 10, includeContext: 'thisServer' })

  for (const [question, capabilities, expected] of [
    [asked, {}, false], [asked, { elicitation: {} }, true], [asked, { elicitation: { form: {} } }, true],
    [asked, { elicitation: { url: {} } }, false], [asked, { elicitation: true }, false], [asked, { sampling: {} }, false],
    [url, { elicitation: {} }, false], [url, { elicitation: { form: {} } }, false], [url, { elicitation: { form: {}, url: {} } }, true],
    [roots, {}, false], [roots, { roots: { listChanged: true } }, true], [roots, { roots: null }, false],
    [sampling, { sampling: {} }, true], [sampling, { elicitation: {} }, false],
    [withTools, { sampling: {} }, false], [withTools, { sampling: { tools: {} } }, true],
    [withContext, { sampling: { tools: {} } }, false], [withContext, { sampling: { context: {} } }, true],
    [samplingQuestion({ messages, maxTokens: 10, includeContext: 'none' }), { sampling: {} }, true],
    [roots, Object.create({ roots: {} }), false]
  ] as const) {
    t.equal(isDeclared(question.needs, capabilities), expected, `${question.method} with ${JSON.stringify(capabilities)}`)
  }
})

t.test('ERR-06: what several questions need is one object', async (t) => {
  const questions = [form({ type: 'boolean' }), urlQuestion({ message: 'Open', url: 'https://example.com/' }), samplingQuestion({ messages, maxTokens: 1 })]
  t.same(allNeeds(questions), { elicitation: { form: {}, url: {} }, sampling: {} })
  t.same(allNeeds([]), {})
})

t.test('ELIC-01, ELIC-02: a form goes out as its fields were written', async (t) => {
  const fields = {
    name: { type: 'string', title: 'Name', default: 'John Doe', minLength: 1 },
    kind: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }
  } as const
  const { method, params } = formQuestion({ message: 'Who?', fields, required: ['name'] })

  t.equal(method, 'elicitation/create')
  t.same(params, { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: fields, required: ['name'] } })
  t.notOk('required' in (formQuestion({ message: 'Who?', fields }).params?.['requestedSchema'] as object))
})

t.test('ELIC-04: a filled-in form has values as its fields say', async (t) => {
  const cases: ReadonlyArray<readonly [FormField, readonly unknown[], readonly unknown[]]> = [
    [{ type: 'boolean' }, [true, false], ['true', 1, null]],
    [{ type: 'integer', minimum: 0, maximum: 9 }, [0, 9], [-1, 10, 1.5, '3', null]],
    [{ type: 'number', minimum: 0.5 }, [0.5, 95.5], [0.4, 'x', NaN]],
    [{ type: 'string', minLength: 1, maxLength: 3 }, ['a', 'abc'], ['', 'abcd', 7]],
    [{ type: 'string', format: 'email' }, ['ada@example.com'], ['ada', '']],
    [{ type: 'string', format: 'uri' }, ['https://example.com/a'], ['example']],
    [{ type: 'string', format: 'date' }, ['2026-07-28'], ['28.7.2026', '2026-13-01']],
    [{ type: 'string', format: 'date-time' }, ['2026-07-28T10:00:00Z', '2026-07-28T10:00:00+02:00'], ['2026-07-28']],
    [{ type: 'string', enum: ['red', 'blue'], enumNames: ['Red', 'Blue'] }, ['red'], ['Red', 'green', ['red']]],
    [{ type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, ['r'], ['Red']],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 }, [['a'], ['a', 'c']], [[], ['a', 'b', 'c'], ['d'], 'a']],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, [['a'], []], [['A'], [{}]]]
  ]
  for (const [field, good, bad] of cases) {
    for (const value of good) t.ok(accepts(field, value), `${JSON.stringify(field)} takes ${JSON.stringify(value)}`)
    for (const value of bad) t.notOk(accepts(field, value), `${JSON.stringify(field)} does not take ${JSON.stringify(value)}`)
  }
})

t.test('ELIC-04, MRTR-09: an answer accepts, declines or cancels, and says nothing else', async (t) => {
  const { answer } = formQuestion({ message: 'Who?', fields: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] })

  t.same(answer.parse({ action: 'accept', content: { name: 'Ada', extra: 1 } }), { action: 'accept', content: { name: 'Ada' } })
  t.same(answer.parse({ action: 'decline', content: { name: 'Ada' } }), { action: 'decline' })
  t.same(answer.parse({ action: 'cancel' }), { action: 'cancel' })
  for (const bad of [undefined, null, 12345, 'accept', [], {}, { action: 'maybe' }, { action: 'accept' }, { action: 'accept', content: 'Ada' }, { action: 'accept', content: { age: 3 } }]) {
    t.notOk(answer.safeParse(bad).success, JSON.stringify(bad))
  }
  t.same(form({ type: 'boolean' }, { isRequired: false }).answer.parse({ action: 'accept' }), { action: 'accept', content: {} }, 'where nothing is required, accepting is enough')
})

t.test('ELIC-05: no form asks for anything secret', async (t) => {
  for (const name of ['password', 'userPassword', 'api_key', 'apiKey', 'access_token', 'credit-card', 'secret', 'cvv']) {
    t.throws(() => formQuestion({ message: 'Log in', fields: { [name]: { type: 'string' } } }), TypeError, name)
  }
  t.throws(() => formQuestion({ message: 'Log in', fields: { p: { type: 'string', title: 'Your password' } } }), TypeError)
  t.doesNotThrow(() => formQuestion({ message: 'Who?', fields: { name: { type: 'string' }, token: { type: 'string', title: 'Name of the token' } } }))
})

t.test('ELIC-03, ELIC-05: a URL to open is https, or on this machine, and carries no credentials', async (t) => {
  t.match(urlQuestion({ message: 'Open', url: 'https://example.com/x' }).params, { mode: 'url', message: 'Open', url: 'https://example.com/x' })
  t.doesNotThrow(() => urlQuestion({ message: 'Open', url: 'http://127.0.0.1:8080/x' }))
  for (const url of ['http://example.com/', 'ftp://example.com/', 'javascript:alert(1)', 'https://ada:secret@example.com/', 'not a url']) {
    t.throws(() => urlQuestion({ message: 'Open', url }), TypeError, url)
  }
  const { answer } = urlQuestion({ message: 'Open', url: 'https://example.com/' })
  t.same(answer.parse({ action: 'accept', content: { done: true } }), { action: 'accept' })
  t.notOk(answer.safeParse({ action: 'opened' }).success)
})

t.test('SAMP-01: a sampled message is checked block by block', async (t) => {
  const { method, params, answer } = samplingQuestion({ messages, maxTokens: 100, systemPrompt: 'Be brief.' })

  t.equal(method, 'sampling/createMessage')
  t.same(params, { messages, maxTokens: 100, systemPrompt: 'Be brief.' })
  const message = (content: unknown) => ({ role: 'assistant', model: 'm', content })
  for (const good of [
    { type: 'text', text: 'Paris', annotations: {} },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    [{ type: 'text', text: 'a' }, { type: 'tool_use', id: '1', name: 'tap', input: {} }]
  ]) t.ok(answer.safeParse(message(good)).success, JSON.stringify(good))
  for (const bad of ['Paris', {}, { type: 'text' }, { type: 'image', data: '!', mimeType: 'image/png' }, { type: 'video' }, null]) {
    t.notOk(answer.safeParse(message(bad)).success, JSON.stringify(bad))
  }
  t.notOk(answer.safeParse({ role: 'assistant', content: { type: 'text', text: 'no model' } }).success)
})

t.test('ROOT-01: roots are folders by file URI', async (t) => {
  const { method, params, answer } = rootsQuestion()

  t.equal(method, 'roots/list')
  t.equal(params, undefined)
  t.same(answer.parse({ roots: [{ uri: 'file:///work', name: 'Work' }, { uri: 'file:///tmp' }] }).roots.length, 2)
  for (const bad of [{}, { roots: {} }, { roots: [{ uri: 'https://example.com' }] }, { roots: ['file:///work'] }]) {
    t.notOk(answer.safeParse(bad).success, JSON.stringify(bad))
  }
})
