import { encodeNotification } from '../../protocol/encode.ts'
import { reaches } from '../../protocol/log-level.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { MessageStream } from '../../protocol/message-stream.ts'
import { CancelledRefusal } from '../../refusals/cancellation.ts'
import type { CallerLine, MethodContext } from '../method.ts'

/** What a request may do whose answer is all that its caller gets. */
export const silent: MethodContext = { progress: () => {}, log: () => {} }

/** What a request may send on its own stream before its answer. */
export function contextOn (stream: MessageStream, request: McpRequest): MethodContext {
  const { era, progressToken, logLevel } = request
  let last = -Infinity

  return {
    progress (step) {
      // PROG-02: progress must rise, and nothing may follow a cancelled request (CANCEL-01).
      if (progressToken === undefined || step.progress <= last || request.signal.aborted) return
      last = step.progress
      stream.send(encodeNotification('notifications/progress', { progressToken, ...step }))
    },
    log (level, data) {
      if (logLevel === undefined || !reaches(level, logLevel) || request.signal.aborted) return
      stream.send(encodeNotification('notifications/message', { level, logger: 'mooring', data }))
    },
    // HTTP-15: no requests on a modern stream.
    ...(era === 'legacy' ? { line: lineOn(stream) } : {})
  }
}

function lineOn (stream: MessageStream): CallerLine {
  let leaving: AbortController | undefined

  return {
    write (message) {
      stream.send(message)
      return stream.isOpen
    },
    // Made when it is asked for: few calls ask their caller.
    get gone () {
      leaving ??= abortedOnClose(stream)
      return leaving.signal
    }
  }
}

function abortedOnClose (stream: MessageStream): AbortController {
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(new CancelledRefusal('caller_gone'))
  if (stream.isOpen) stream.onClose(leave)
  else leave()
  return leaving
}
