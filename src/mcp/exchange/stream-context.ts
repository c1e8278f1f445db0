import { encodeNotification } from '../../protocol/encode.ts'
import { reaches } from '../../protocol/log-level.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { MessageStream } from '../../protocol/message-stream.ts'
import type { MethodContext } from '../method.ts'

/** What a request may do whose answer is all that its caller gets. */
export const silent: MethodContext = { progress: () => {}, log: () => {} }

/** What a request may send on its own stream before its answer. */
export function contextOn (stream: MessageStream, request: McpRequest): MethodContext {
  const { era, progressToken, logLevel } = request
  let last = -Infinity

  function write (message: string): boolean {
    stream.send(message)
    return stream.isOpen
  }

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
    ...(era === 'legacy' ? { write } : {})
  }
}
