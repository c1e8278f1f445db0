import { z } from 'zod'
import { formQuestion } from '../../src/protocol/form-question.ts'
import { rootsQuestion, urlQuestion } from '../../src/protocol/question.ts'
import { samplingQuestion, type Sampled } from '../../src/protocol/sampling-question.ts'
import { filledIn } from '../../src/tools/asking.ts'
import type { Offer } from '../../src/tools/offer.ts'
import { defineTool, type ToolCall, type ToolDefinition } from '../../src/tools/tool-definition.ts'
import { Refusal } from '../../src/refusals/refusal.ts'

export const nameForm = formQuestion({ message: 'What is your name?', fields: { name: { type: 'string' } }, required: ['name'] })
export const colorForm = formQuestion({ message: 'Which color?', fields: { color: { type: 'string', enum: ['red', 'violet'] } }, required: ['color'] })
export const capital = samplingQuestion({ messages: [{ role: 'user', content: { type: 'text', text: 'The capital of France?' } }], maxTokens: 20 })
export const page = urlQuestion({ message: 'Sign in there', url: 'https://example.com/sign-in' })

function sampledText ({ content }: Sampled): string {
  return [content].flat().flatMap((one) => one.type === 'text' ? [one.text] : []).join('\n')
}

/** Tools, a prompt and a resource that ask; `did` is what they have done. */
export function askingOffer (): Offer & { readonly did: readonly string[] } {
  const did: string[] = []

  function tool (name: string, run: (call: ToolCall, input: Record<string, unknown>) => Promise<string>, more: Partial<ToolDefinition> = { asks: true }): ToolDefinition {
    return defineTool({
      name,
      title: name,
      description: `Asks its caller, as a test of ${name}.`,
      input: z.strictObject({ greeting: z.string().optional(), times: z.int().optional() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      ...more,
      async run (input, call) {
        const text = await run(call, input)
        return { content: [{ type: 'text', text }], structuredContent: { text } }
      }
    })
  }

  const tools = [
    tool('greet', async ({ ask }, { greeting = 'Hello' }) => {
      const { name } = filledIn(await ask('user_name', nameForm), 'the greeting')
      did.push(`greeted ${name}`)
      return `${String(greeting)}, ${name}!`
    }),
    tool('paint', async ({ ask }) => {
      const { name } = filledIn(await ask('step1', nameForm), 'painting')
      const { color } = filledIn(await ask('step2', colorForm), 'painting')
      did.push(`painted ${color}`)
      return `${name} likes ${color}.`
    }),
    tool('together', async ({ askAll }) => {
      const { user_name: user, capital_question: answer, client_roots: { roots } } = await askAll({
        user_name: nameForm, capital_question: capital, client_roots: rootsQuestion()
      })
      return [filledIn(user, 'it').name, sampledText(answer), ...roots.map(({ uri }) => uri)].join(' ')
    }),
    tool('either', async ({ tryAskAll }) => {
      const { user_name: user, capital_question: answer } = await tryAskAll({ user_name: nameForm, capital_question: capital })
      return `${user?.action ?? 'nobody'}, ${answer === undefined ? 'nothing' : sampledText(answer)}`
    }),
    tool('sign', async ({ ask }) => (await ask('page', page)).action),
    tool('endless', async ({ ask }) => {
      for (let step = 0; ; step++) await ask(`step${step}`, nameForm)
    }),
    tool('careless', async ({ ask }) => {
      await ask('user_name', nameForm).catch(() => undefined)
      return 'went on without an answer'
    }),
    tool('impatient', async ({ ask }) => {
      await Promise.race([ask('user_name', nameForm), Promise.resolve()])
      return 'did not wait'
    }),
    tool('several', async ({ ask }) => (await Promise.all([ask('a', nameForm), ask('b', colorForm)])).map(({ action }) => action).join()),
    tool('plain', async () => 'asked nothing', {}),
    tool('unannounced', async ({ ask }) => (await ask('user_name', nameForm)).action, {}),
    tool('picky', async () => { throw new PickyRefusal({ message: 'No.', retryable: false, nextAction: 'Go.' }) })
  ]

  return {
    did,
    tools,
    prompts: [{
      name: 'introduce',
      title: 'Introduce',
      description: 'Introduces the user.',
      arguments: [{ name: 'style', title: 'Style', description: 'How.', required: false }],
      asks: true,
      content: async ({ style = 'short' }, { ask }) => `${filledIn(await ask('user_context', nameForm), 'it').name}, ${style}`
    }],
    resources: [{
      uriTemplate: 'test://diary/{day}',
      name: 'diary',
      title: 'Diary',
      description: 'Asks who reads.',
      mimeType: 'text/plain',
      asks: true,
      topicOf: async () => undefined,
      read: async ({ day = '' }, { ask }) => ({ mimeType: 'text/plain', text: `${day} for ${filledIn(await ask('reader', nameForm), 'it').name}` })
    }]
  }
}

class PickyRefusal extends Refusal {
  readonly code = 'picky'
}
