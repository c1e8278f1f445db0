import t from 'tap'
import { formQuestion } from '../../src/protocol/form-question.ts'
import { legacyQuestionParams } from '../../src/protocol/legacy-question.ts'
import { rootsQuestion, urlQuestion } from '../../src/protocol/question.ts'
import { samplingQuestion } from '../../src/protocol/sampling-question.ts'

const [newest, middle, oldest] = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

t.test('LEGACY-12: elicitation came with 2025-06-18, titled and several choices later', async (t) => {
  const plain = formQuestion({ message: 'Who?', fields: { name: { type: 'string' } }, required: ['name'] })
  const titled = formQuestion({ message: 'Which?', fields: { color: { type: 'string', title: 'Color', oneOf: [{ const: 'r', title: 'Red' }, { const: 'b', title: 'Blue' }] } } })
  const several = formQuestion({ message: 'Which?', fields: { colors: { type: 'array', items: { type: 'string', enum: ['r', 'b'] } } } })

  t.same(legacyQuestionParams(titled, newest, 'id'), titled.params)
  t.same(legacyQuestionParams(several, newest, 'id'), several.params)
  t.same(legacyQuestionParams(plain, middle, 'id'), {
    message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  })
  t.same(legacyQuestionParams(titled, middle, 'id'), {
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { color: { type: 'string', title: 'Color', enum: ['r', 'b'], enumNames: ['Red', 'Blue'] } } }
  })
  t.equal(legacyQuestionParams(several, middle, 'id'), undefined)
  for (const question of [plain, titled, several]) t.equal(legacyQuestionParams(question, oldest, 'id'), undefined)
})

t.test('LEGACY-12: opening a URL is for 2025-11-25 alone, under an id', async (t) => {
  const question = urlQuestion({ message: 'Open', url: 'https://example.com/' })
  t.same(legacyQuestionParams(question, newest, 'e1'), { mode: 'url', message: 'Open', url: 'https://example.com/', elicitationId: 'e1' })
  t.equal(legacyQuestionParams(question, middle, 'e1'), undefined)
  t.equal(legacyQuestionParams(question, oldest, 'e1'), undefined)
})

t.test('LEGACY-12: every revision samples and has roots, the older ones without tools and with one block a message', async (t) => {
  const text = { type: 'text', text: 'Hi' }
  const plain = samplingQuestion({ messages: [{ role: 'user', content: text }], maxTokens: 1 })
  const blocks = samplingQuestion({ messages: [{ role: 'user', content: [text, text] }], maxTokens: 1 })
  const tools = samplingQuestion({ messages: [{ role: 'user', content: text }], maxTokens: 1, tools: [{ name: 'tap' }] })

  for (const version of [newest, middle, oldest]) {
    t.same(legacyQuestionParams(plain, version, 'id'), plain.params)
    t.same(legacyQuestionParams(rootsQuestion(), version, 'id'), {})
    t.same(legacyQuestionParams(blocks, version, 'id'), version === newest ? blocks.params : undefined)
    t.same(legacyQuestionParams(tools, version, 'id'), version === newest ? tools.params : undefined)
  }
})
