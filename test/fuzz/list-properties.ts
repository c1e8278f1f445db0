/** What must hold for pages and names, whatever a client makes up. */
import fc from 'fast-check'
import { createListPages } from '../../src/mcp/catalog/list-pages.ts'
import { createListedSet } from '../../src/mcp/catalog/listed-set.ts'
import { pageOf } from '../../src/mcp/page.ts'
import { parseUriTemplate } from '../../src/mcp/uri-template.ts'
import { createEncoder } from '../../src/protocol/encode.ts'
import { ProtocolError } from '../../src/protocol/rejection.ts'
import type { Result } from '../../src/protocol/result.ts'
import { property, type FuzzProperty } from './fuzz-property.ts'
import { hostileText, hostileValue, wellFormed } from './hostile-values.ts'

const shape = { method: 'tools/list', member: 'items', cache: { ttlMs: 0, scope: 'public' } } as const
const encoder = createEncoder({ name: 'test', version: '1' })
const names = fc.uniqueArray(hostileText.map(wellFormed), { maxLength: 12 })

interface Page { readonly items: ReadonlyArray<{ readonly name: string }>, readonly nextCursor?: string }

function read (result: Result): Page {
  switch (result.kind) {
    case 'prepared': return JSON.parse(result.prepared.bytesFor('2026-07-28').toString()) as Page
    case 'complete': return JSON.parse(JSON.stringify(result.body)) as Page
    case 'input_required': throw new Error('a list asks nothing')
  }
}

/** Both ways to make a page of the same items. */
function pagers (items: ReadonlyArray<{ readonly name: string }>, pageSize: number): ReadonlyArray<(cursor: unknown) => Page> {
  const listed = items.map(({ name }) => ({ name, published: { name }, digest: name }))
  const set = createListedSet(listed, 'items')
  const pages = createListPages({ encoder, pageSize })
  return [(cursor) => read(pages.page(set, cursor, shape)), (cursor) => read(pageOf(listed, cursor, shape, pageSize))]
}

export const listProperties: readonly FuzzProperty[] = [
  property('LIST-04: following the cursors shows each item once, in order', 500, [names, fc.integer({ min: 1, max: 5 })], (names, pageSize) => {
    const items = names.map((name) => ({ name }))
    return pagers(items, pageSize).every((page) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { items, nextCursor } = page(cursor)
        seen.push(...items.map(({ name }) => name))
        cursor = nextCursor
      } while (cursor !== undefined && seen.length <= names.length)
      return JSON.stringify(seen) === JSON.stringify(names)
    })
  }),

  property('LIST-05: a cursor that names no item is refused, and nothing else is thrown', 1_000, [names, fc.oneof(hostileText, hostileText.map((text) => Buffer.from(text).toString('base64url')), hostileValue)], (names, cursor) => {
    return pagers(names.map((name) => ({ name })), 2).every((page) => {
      try {
        page(cursor)
        return cursor === undefined || (typeof cursor === 'string' && names.includes(Buffer.from(cursor, 'base64url').toString()))
      } catch (error) {
        return error instanceof ProtocolError && error.rejection.code === -32602
      }
    })
  }),

  property('RES-02: a URI made from a template gives back its variables, and no URI makes it throw', 1_000, [hostileText, hostileText], (a, b) => {
    const template = parseUriTemplate('test://{a}/in/{b}')
    const raw = template.match(a)
    if (raw !== undefined && Object.keys(raw).length !== 2) return false
    const [first, second] = [wellFormed(a), wellFormed(b)]
    const found = template.match(`test://${encodeURIComponent(first)}/in/${encodeURIComponent(second)}`)
    return first === '' || second === '' ? found === undefined : found?.['a'] === first && found?.['b'] === second
  })
]
