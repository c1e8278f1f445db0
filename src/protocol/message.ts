/** The shape of one JSON-RPC 2.0 message (RPC-01…RPC-05, RPC-08). */
import { hasHalf } from '../text/well-formed.ts'
import { notARequest } from './error-table.ts'
import type { Rejection, RequestId } from './rejection.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export type Message =
  | { readonly kind: 'request', readonly id: RequestId, readonly method: string, readonly params: JsonObject | undefined }
  | { readonly kind: 'notification', readonly method: string, readonly params: JsonObject | undefined }
  | { readonly kind: 'response', readonly id: RequestId | undefined, readonly body: JsonObject }
  | { readonly kind: 'invalid', readonly id: RequestId | undefined, readonly rejection: Rejection }

/** Reads any JSON value that is not an array as a message. */
export function readMessage (value: unknown): Message {
  if (!isObject(value)) return invalid(undefined, 'RPC-01', 'it is not an object')
  // RPC-02: fractions, integers beyond 2^53 and halves of surrogate pairs could not be echoed exactly.
  const id = isRequestId(value['id']) ? value['id'] : undefined
  if (value['jsonrpc'] !== '2.0') return invalid(id, 'RPC-01', '`jsonrpc` must be "2.0"')

  const method = value['method']
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'response', id, body: value }
  if (typeof method !== 'string') return invalid(id, 'RPC-02', '`method` must be a string')

  const params = value['params']
  if (params !== undefined && !isObject(params)) return invalid(id, 'RPC-01', '`params` must be an object where it is given')
  if (!('id' in value)) return { kind: 'notification', method, params }
  if (id === undefined) return invalid(undefined, 'RPC-02', idProblem(value['id']))
  return { kind: 'request', id, method, params }
}

export function isObject (value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRequestId (id: unknown): id is RequestId {
  return typeof id === 'string' ? !hasHalf(id) : Number.isSafeInteger(id)
}

function idProblem (id: unknown): string {
  if (id === null) return '`id` must not be null; a message without an answer has no `id`'
  if (typeof id === 'string') return '`id` has half of a surrogate pair, which cannot be answered exactly'
  if (Number.isInteger(id)) return '`id` is a number beyond 2^53 - 1, which cannot be answered exactly; send it as a string'
  return '`id` must be a string or a whole number'
}

function invalid (id: RequestId | undefined, rule: string, detail: string): Message {
  return { kind: 'invalid', id, rejection: notARequest(rule, detail) }
}
