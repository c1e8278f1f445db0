/** What must hold for the device tools over virtual phones, whatever arguments a model makes up. */
import fc from 'fast-check'
import type { Test } from 'tap'
import { encodeHeaderValue } from '../../src/protocol/header-value.ts'
import { eventsOf, mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { asyncProperty, type FuzzProperty } from './fuzz-property.ts'
import { hostileText, hostileValue } from './hostile-values.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly 'x-mcp-header'?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** Values that nearly always fit a schema; numbers are small, so that nothing waits for long. */
function fitting (schema: Schema, root: Schema, depth = 0): fc.Arbitrary<unknown> {
  const at = (inner: Schema): fc.Arbitrary<unknown> => fitting(inner, root, depth + 1)
  if (depth > 4) return fc.constant(undefined)
  if (schema.$ref !== undefined) return at(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const choice = schema.anyOf ?? schema.oneOf
  if (choice !== undefined) return fc.oneof(...choice.map(at))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'integer': return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? Infinity, (schema.minimum ?? 0) + 60) })
    case 'number': return fc.oneof(fc.integer({ min: Math.ceil(schema.minimum ?? 0), max: Math.max(1, Math.floor(Math.min(schema.maximum ?? Infinity, 2_000))) }), fc.double({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1, 1), noNaN: true }))
    case 'boolean': return fc.boolean()
    case 'array': return fc.array(at(schema.items ?? {}), { maxLength: 3 })
    case 'object': {
      const { properties = {}, required = [] } = schema
      const optional = Object.keys(properties).filter((name) => !required.includes(name))
      // Few at a time, because many exclude each other.
      return fc.subarray(optional, { maxLength: Math.min(2, optional.length) })
        .chain((picked) => fc.record(Object.fromEntries([...required, ...picked].map((name) => [name, at(properties[name] ?? {})]))))
    }
    default: return fc.oneof(hostileText, fc.constantFrom('e1', 'e2', 'Field Notes', '(a+)+$', '.*'))
  }
}

function mirroredHeaders (known: Readonly<Record<string, Schema>>, args: unknown): Record<string, string> {
  const given = Object.entries(typeof args === 'object' && args !== null ? args : {})
  return Object.fromEntries(given.flatMap(([name, value]) => {
    const header = Object.hasOwn(known, name) ? known[name]?.['x-mcp-header'] : undefined
    return header === undefined || typeof value !== 'string' ? [] : [[`mcp-param-${header.toLowerCase()}`, encodeHeaderValue(value)]]
  }))
}

/** Starts a server of its own, with phones, and takes one of them. */
export async function deviceProperties (t: Pick<Test, 'teardown'>): Promise<readonly FuzzProperty[]> {
  const { port, token, log } = await startTestApp(t, { flags: ['--log-level', 'error'] })
  const wire = mcpWire({ port, token: await token() })
  const { lease } = (await wire.call('acquireDevice', {})).structuredContent
  const tools = (await wire.modern('tools/list')).json().result.tools as ReadonlyArray<{ name: string, inputSchema: Schema }>

  const calls = fc.oneof(...tools.map(({ name, inputSchema }) => fc.tuple(
    fc.constant({ name, known: inputSchema.properties ?? {} }),
    fc.oneof({ weight: 4, arbitrary: fitting(inputSchema, inputSchema) }, { weight: 1, arbitrary: hostileValue }),
    fc.integer({ min: 0, max: 9 })
  )))

  return [
    asyncProperty('any arguments of any device tool get an answer, and no internal error', 60, [calls], async ([{ name, known }, given, stray]) => {
      const args = typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given, ...(stray > 0 && 'lease' in known && name !== 'releaseDevice' ? { lease } : {}), ...('timeoutMs' in known ? { timeoutMs: 20 } : {}) } : given
      const logged = log().length
      const reply = await wire.modern('tools/call', { name, arguments: args }, mirroredHeaders(known, args))
      // A request that waited was answered on a stream, at whose end the response stands.
      const answer = reply.headers['content-type']?.startsWith('text/event-stream') === true ? eventsOf(reply.text).at(-1) : reply.json()
      // The second phone goes back at once; the first stays ours all along.
      if (name === 'acquireDevice' && answer.result?.isError === undefined) await wire.call('releaseDevice', { lease: answer.result?.structuredContent.lease })
      if (log().length > logged) throw new Error(log().slice(logged))
      if (JSON.stringify(args).includes('"__proto__":')) return reply.status === 400
      // What no header can carry cannot be mirrored either.
      if (answer.error?.code === -32020) return reply.status === 400
      return reply.status === 200 && (answer.error?.code === -32602 || (answer.result.content.length > 0 && answer.result.structuredContent?.code !== 'internal_error'))
    })
  ]
}
