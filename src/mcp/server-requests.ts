/**
 * Requests of ours to legacy callers, and the calls that wait for their answers (LEGACY-14).
 *
 * A request goes out on the stream of the call that asks; its answer comes in a POST of its
 * own. What connects them is an id that cannot be guessed, and the principal: what another
 * principal sends under the id is no answer. An entry lives until its answer comes or the call that asks
 * ends, which the time limit of calls bounds, and there are only so many of them.
 */
import { cancelledBy, CancelledRefusal, ensureNotCancelled } from '../refusals/cancellation.ts'
import { encodeNotification, encodeRequest } from '../protocol/encode.ts'
import { errorCodes } from '../protocol/error-table.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { Principal } from '../protocol/principal.ts'
import type { RequestId } from '../protocol/rejection.ts'
import type { Ids } from '../runtime/ids.ts'
import { TooManyQuestionsRefusal } from './asking-refusals.ts'

export type Reply =
  | { readonly kind: 'answer', readonly result: unknown }
  /** The client does not know the method, or not in this form. */
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed' }

export interface ServerRequests {
  /**
   * Sends a request and waits for its answer.
   *
   * @throws {CancelledRefusal} the signal aborted, or the stream has lost its reader
   * @throws {TooManyQuestionsRefusal}
   */
  send (request: {
    readonly method: string
    readonly params: JsonObject
    readonly principal: Principal
    readonly signal: AbortSignal
    readonly write: (message: string) => boolean
  }): Promise<Reply>
  /** Takes a response that a caller posted; one that no call waits for is dropped. */
  receive (response: { readonly id: RequestId | undefined, readonly body: JsonObject }, principal: Principal): void
  /** How many answers are waited for. */
  readonly waiting: number
}

const idBytes = 16

export function createServerRequests ({ ids, maxWaiting }: {
  readonly ids: Pick<Ids, 'bytes'>
  /** Answers waited for at once; those of one principal are half of them at most. */
  readonly maxWaiting: number
}): ServerRequests {
  const maxWaitingOfOne = Math.ceil(maxWaiting / 2)
  // By principal and then by id, so that no principal reaches the entry of another.
  const waiting = new Map<string, Map<RequestId, (reply: Reply) => void>>()
  let count = 0

  function add (owner: string, id: string, settle: (reply: Reply) => void): void {
    const own = waiting.get(owner) ?? new Map()
    if (own.size >= maxWaitingOfOne || count >= maxWaiting) throw new TooManyQuestionsRefusal()
    waiting.set(owner, own.set(id, settle))
    count++
  }

  function remove (owner: string, id: string): void {
    const own = waiting.get(owner)
    if (own?.delete(id) !== true) return
    count--
    if (own.size === 0) waiting.delete(owner)
  }

  return {
    send: ({ method, params, principal: { key: owner }, signal, write }) => new Promise((resolve, reject) => {
      ensureNotCancelled(signal)
      const id = `ask_${ids.bytes(idBytes).toString('base64url')}`

      function end (): void {
        signal.removeEventListener('abort', withdraw)
        remove(owner, id)
      }

      function withdraw (): void {
        end()
        // Lets the client take the question from the user's screen.
        write(encodeNotification('notifications/cancelled', { requestId: id, reason: 'The call that asked has ended.' }))
        reject(cancelledBy(signal))
      }

      add(owner, id, (reply) => {
        end()
        resolve(reply)
      })
      signal.addEventListener('abort', withdraw, { once: true })
      if (!write(encodeRequest(id, method, params))) {
        end()
        reject(new CancelledRefusal())
      }
    }),

    receive ({ id, body }, { key: owner }) {
      if (id !== undefined) waiting.get(owner)?.get(id)?.(replyOf(body))
    },

    get waiting () { return count }
  }
}

function replyOf ({ result, error }: JsonObject): Reply {
  if (error === undefined) return { kind: 'answer', result }
  const code = isObject(error) ? error['code'] : undefined
  return code === errorCodes.methodNotFound || code === errorCodes.invalidParams ? { kind: 'unsupported' } : { kind: 'failed' }
}
