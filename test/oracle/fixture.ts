/** One offer with a bit of everything, which is served by both sides of the comparison. */
import { Refusal } from '../../src/refusals/refusal.ts'
import type { Offer } from '../../src/tools/offer.ts'
import type { PromptDefinition } from '../../src/tools/prompt-definition.ts'
import type { ResourceDefinition } from '../../src/tools/resource-definition.ts'
import type { SchemaTool } from '../../src/tools/tool-definition.ts'
import { conformanceSchema } from '../support/conformance-schema.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

class ClosedRefusal extends Refusal {
  readonly code = 'closed'
}

const tools: readonly SchemaTool[] = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Gives back its arguments.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, count: { type: 'integer', minimum: 1 }, loud: { type: 'boolean' } },
      required: ['text']
    },
    annotations,
    run: async (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] })
  },
  {
    name: 'routed',
    title: 'Routed',
    description: 'Mirrors three of its arguments into headers.',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        target: { type: 'object', properties: { row: { type: 'integer', 'x-mcp-header': 'Row' } } },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' }
      }
    },
    annotations,
    run: async (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] })
  },
  {
    name: 'json_schema_2020_12_tool',
    title: 'Address',
    description: 'Takes an address and a way to reach somebody.',
    inputSchema: conformanceSchema,
    annotations,
    run: async (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] })
  },
  {
    name: 'sum',
    title: 'Sum',
    description: 'Adds numbers.',
    inputSchema: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'number' } } }, required: ['numbers'], additionalProperties: false },
    outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
    annotations,
    async run ({ numbers }) {
      const total = (numbers as readonly number[]).reduce((sum, number) => sum + number, 0)
      return { content: [{ type: 'text', text: JSON.stringify({ total }) }], structuredContent: { total } }
    }
  },
  {
    name: 'letters',
    title: 'Letters',
    description: 'Answers with an array, which only the modern era knows.',
    inputSchema: { type: 'object', additionalProperties: false },
    outputSchema: { type: 'array', items: { type: 'string' } },
    annotations,
    run: async () => ({ content: [{ type: 'text', text: '["a","b"]' }], structuredContent: ['a', 'b'] })
  },
  {
    name: 'blocks',
    title: 'Blocks',
    description: 'Answers with every kind of content.',
    inputSchema: { type: 'object', additionalProperties: false },
    annotations,
    run: async () => ({
      content: [
        { type: 'text', text: 'line one\nline two \u2028 three \u0000' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'test://static', name: 'static', mimeType: 'text/plain' },
        { type: 'resource', resource: { uri: 'test://static', mimeType: 'text/plain', text: 'still' } }
      ]
    })
  },
  {
    name: 'failing',
    title: 'Failing',
    description: 'Says no.',
    inputSchema: { type: 'object' },
    annotations,
    run: async () => { throw new ClosedRefusal({ message: 'It is closed.', retryable: false, nextAction: 'Go home.' }) }
  },
  {
    name: 'steps',
    title: 'Steps',
    description: 'Reports progress and logs on its way.',
    inputSchema: { type: 'object', additionalProperties: false },
    annotations,
    reports: true,
    async run (_input, { progress, log }) {
      for (const step of [1, 2, 3]) {
        progress({ progress: step, total: 3 })
        log(step === 2 ? 'warning' : 'debug', { step })
      }
      return { content: [{ type: 'text', text: 'done' }] }
    }
  }
]

const items = ['anchor', 'bollard', 'cleat']
const ofItem = (id: string) => ({ uri: `test://items/${id}`, name: id, title: `Item ${id}`, description: 'One item.', mimeType: 'application/json' })

const resources: readonly ResourceDefinition[] = [
  {
    uriTemplate: 'test://static',
    name: 'static',
    title: 'Static',
    description: 'A text that stays.',
    mimeType: 'text/plain',
    list: async () => [{ uri: 'test://static', name: 'static', title: 'Static', description: 'A text that stays.', mimeType: 'text/plain' }],
    read: async () => ({ mimeType: 'text/plain', text: 'still' }),
    topicOf: async () => 'global'
  },
  {
    uriTemplate: 'test://items/{id}',
    name: 'item',
    title: 'Item',
    description: 'One item.',
    mimeType: 'application/json',
    list: async () => items.map(ofItem),
    read: async ({ id = '' }) => items.includes(id) ? { mimeType: 'application/json', text: JSON.stringify({ id }) } : undefined,
    topicOf: async ({ id = '' }) => items.includes(id) ? 'global' : undefined,
    complete: { id: async () => items }
  }
]

const prompts: readonly PromptDefinition[] = [
  {
    name: 'greet',
    title: 'Greet',
    description: 'Greets somebody.',
    arguments: [
      { name: 'name', title: 'Name', description: 'Whom to greet.', required: true, complete: async () => ['Ada', 'Adele', 'Grace'] },
      { name: 'style', title: 'Style', description: 'How.', required: false }
    ],
    content: ({ name, style = 'plain' }) => `Greet ${name}, ${style}.`
  },
  { name: 'bare', title: 'Bare', description: 'Takes nothing.', arguments: [], content: () => 'Say nothing.' }
]

export const fixture = { tools, resources, prompts } satisfies Offer
