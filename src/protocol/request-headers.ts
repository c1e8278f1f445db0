/**
 * The headers that mirror a modern request's body, compared with it (HDR-01…04, HTTP-20).
 *
 * Something in front of mooring may route by these headers without parsing the body. So they
 * must say what the body says, exactly: a header that is missing, doubled or different is
 * refused before any work is done. Legacy requests have none of this (HDR-14).
 */
import { headerMismatch } from './error-table.ts'
import { decodeHeaderValue } from './header-value.ts'
import type { JsonObject } from './message.ts'
import type { Rejection } from './rejection.ts'

/** Header values by lower-case name; one that arrived twice holds both, joined by a comma. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A header as one string. Node joins duplicates, so a doubled header can never equal one value. */
export function headerText (headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** VAL-09: `version` is what the body states. */
export function checkVersionHeader (headers: RequestHeaders, version: string): Rejection | undefined {
  const header = headerText(headers, 'mcp-protocol-version')
  if (header === undefined) return headerMismatch('HDR-01', 'Header MCP-Protocol-Version is missing; send the version that params._meta states.')
  if (header.trim() !== version) return headerMismatch('HDR-01', 'Header MCP-Protocol-Version and the version in params._meta differ; send the same in both.')
  return undefined
}

/** VAL-11. */
export function checkMethodHeader (headers: RequestHeaders, method: string): Rejection | undefined {
  const header = headerText(headers, 'mcp-method')
  if (header === undefined) return headerMismatch('HDR-02', 'Header Mcp-Method is missing; send the method of the body.')
  if (header.trim() !== method) return headerMismatch('HDR-02', 'Header Mcp-Method and the method of the body differ; send the same in both.')
  return undefined
}

/** Which member of `params` the header `Mcp-Name` repeats, for the methods that define it. */
const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId'
}

/** VAL-13. A body without the member itself is left to the method's own -32602. */
export function checkNameHeader (headers: RequestHeaders, method: string, params: JsonObject): Rejection | undefined {
  const member = namedBy[method]
  const expected = member === undefined ? undefined : params[member]
  if (typeof expected !== 'string') return undefined
  const header = headerText(headers, 'mcp-name')
  if (header === undefined) return headerMismatch('HDR-03', `Header Mcp-Name is missing; send params.${member}.`)
  if (decodeHeaderValue(header) !== expected) return headerMismatch('HDR-03', `Header Mcp-Name and params.${member} differ; send the same in both.`)
  return undefined
}
