import fc from 'fast-check'
import t from 'tap'
import { acknowledgement, changeNotification, endOfStream } from '../../src/events/listen-messages.ts'
import { createEncoder, encodeError, encodeNotification, encodeRequest } from '../../src/protocol/encode.ts'
import { invalidParams } from '../../src/protocol/error-table.ts'
import { legacyVersions, modernVersion } from '../../src/protocol/versions.ts'
import { createOffer } from '../../src/tools/offer.ts'
import { hasHalf, wellFormed, wellFormedJson } from '../../src/text/well-formed.ts'
import type { PromptDefinition } from '../../src/tools/prompt-definition.ts'
import type { ResourceDefinition } from '../../src/tools/resource-definition.ts'
import type { SchemaTool } from '../../src/tools/tool-definition.ts'
import { hostileText, hostileValue } from '../fuzz/hostile-values.ts'
import { mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest } from '../support/mcp-request.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

/** Whether JSON text is what any parser reads, with no half of a pair in it, as a unit or as an escape, in values and names. */
function isWhole (json: string): boolean {
  const holdsHalf = (value: unknown): boolean => {
    if (typeof value === 'string') return hasHalf(value)
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([name, member]) => hasHalf(name) || holdsHalf(member))
  }
  return !hasHalf(json) && !holdsHalf(JSON.parse(json))
}

const object = hostileValue.map((value) => ({ value, '\ud800': '\udc00', 'a\\ud800': '\\ud800' }))

t.test('no encoder lets half of a character out, whatever is in it', async (t) => {
  const serverInfo = { name: 'mooring', version: '1' }
  const encoder = createEncoder(serverInfo)
  const methods = ['tools/call', 'tools/list', 'prompts/get', 'prompts/list', 'resources/read', 'initialize', 'completion/complete']

  fc.assert(fc.property(object, fc.constantFrom(...methods), fc.constantFrom(modernVersion, ...legacyVersions), fc.boolean(), (body, method, version, hasMeta) => {
    const era = version === modernVersion ? 'modern' : 'legacy'
    const content = [{ type: 'text', text: JSON.stringify(body), body }]
    const whole = { ...body, content, structuredContent: body, tools: [body], prompts: [body], messages: [{ content: body }], ...(hasMeta ? { _meta: body } : {}) }
    return isWhole(encoder.result({ id: 1, method, era, version }, { kind: 'complete', body: whole }).toString()) &&
      isWhole(encoder.result({ id: 1, method, era, version }, { kind: 'prepared', prepared: encoder.prepare(method, whole, { ttlMs: 1, scope: 'private' }) }).toString()) &&
      (era === 'legacy' || isWhole(encoder.result({ id: 1, method, era, version }, { kind: 'input_required', inputRequests: body, requestState: 's' }).toString()))
  }))
  fc.assert(fc.property(object, hostileText, (body, text) => {
    return [
      encodeNotification('notifications/message', body), encodeRequest('id', 'elicitation/create', body),
      encodeError(1, invalidParams(text, body)), encodeError(undefined, invalidParams(text, body), 'legacy'),
      changeNotification(1, { type: 'resource', uri: text }), acknowledgement(1, { lists: [], resources: [{ uri: text, topic: 'global' }] } as any), endOfStream(1, serverInfo)
    ].every(isWhole)
  }))
  t.pass('whatever there is')
})

t.test('text that only speaks of a half stays as it is', async (t) => {
  for (const text of ['\\ud800', '\\\\ud83d', 'a\\', '\\\\', '\\"\\ud800', '\u{1f600}', '\\u{1f600}']) {
    t.equal(JSON.parse(wellFormedJson({ text })).text, text)
  }
  fc.assert(fc.property(hostileValue, (value) => JSON.stringify(JSON.parse(wellFormedJson({ value }))) === wellFormedJson({ value })))
  fc.assert(fc.property(hostileText, (text) => JSON.parse(wellFormedJson({ text })).text === wellFormed(text)))
})

t.test('no method answers with one, in either era', async (t) => {
  const tool: SchemaTool = {
    name: 'say', description: 'Says it.', inputSchema: { type: 'object' }, run: async (given) => ({ content: [{ type: 'text', text: String(given['text']) }], structuredContent: given })
  }
  const prompt: PromptDefinition = {
    name: 'say', title: 'Say', description: 'Says it.', arguments: [{ name: 'text', title: 'Text', description: 'It.', required: true, complete: async () => ['\ud800'] }], content: ({ text = '' }) => text
  }
  const resource: ResourceDefinition = {
    uriTemplate: 'test://{text}',
    name: 'said',
    title: 'Said',
    description: 'It.',
    mimeType: 'text/plain',
    list: async () => [{ uri: 'test://a', name: '\ud800', title: '\udc00', description: 'a\ud83d', mimeType: 'text/plain' }],
    read: async () => ({ mimeType: 'text/plain', text: 'a\ud83d' }),
    topicOf: async () => undefined
  }
  const { dispatch, encoder } = mcpBench({ offer: { tools: [tool], prompts: [prompt], resources: [resource] } })

  await fc.assert(fc.asyncProperty(hostileText, fc.boolean(), async (text, isModern) => {
    const era = isModern ? {} : { era: 'legacy', version: '2025-11-25' } as const
    for (const [method, params] of [
      ['tools/call', { name: 'say', arguments: { text, [text]: [text] } }], ['tools/call', { name: text }],
      ['prompts/get', { name: 'say', arguments: { text } }], ['prompts/get', { name: 'say', arguments: { [text]: text } }],
      ['resources/list', {}], ['resources/read', { uri: 'test://x' }], ['resources/read', { uri: text }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'say' }, argument: { name: 'text', value: '' } }], [text, {}]
    ] as const) {
      const request = mcpRequest(method, params, era)
      const outcome = await dispatch(request)
      const answer = outcome.kind === 'rejected' ? encodeError(1, outcome.rejection, request.era) : encoder.result(request, outcome).toString()
      if (!isWhole(answer)) return false
    }
    return true
  }), { numRuns: 60 })
  t.pass('whatever was sent')
})

t.test('our own tools take none: what they keep would be shown to others', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })

  for (const [tool, args, argument] of [
    ['acquireDevice', { purpose: 'a\ud83d' }, 'purpose'],
    ['acquireDevices', { devices: [{ label: '\udc00' }] }, 'devices.0.label'],
    ['acquireDevices', { devices: { '\udc00': {} } }, 'devices.\ufffd'],
    ['setDeviceState', { clipboard: '\ud800' }, 'clipboard'],
    ['putFile', { path: 'a', text: '\ud800' }, 'text'],
    ['observe', { 'odd\ud800': 1 }, 'odd\ufffd']
  ] as const) {
    const reply = await wire.modern('tools/call', { name: tool, arguments: args })
    t.match(reply.json().result.structuredContent, { code: 'invalid_arguments', issues: [{ argument, problem: /^has half of a character/ }] }, tool)
    t.ok(isWhole(reply.text))
  }
})

t.test('JSON within a resource has none either', async (t) => {
  const { resources } = createOffer({
    leases: { devices: async () => [{ description: { id: 'a', name: 'b\ud800', platform: 'ios', kind: 'virtual', model: 'm', osVersion: '1', labels: ['\udc00'] }, state: 'free', holds: [], failures: 0 }] } as any,
    bus: {} as any,
    clock: {} as any,
    scheduler: {} as any
  })
  const devices = resources.find(({ name }) => name === 'devices')
  const content = await devices?.read({}, { principal: { issuer: 'i', subject: 's', key: 'k' }, signal: new AbortController().signal } as any)

  t.ok(content !== undefined && 'text' in content && isWhole(content.text))
})
