import { echoTool } from './offered-tools.ts'
import type { Load, LoadRequest } from './load.ts'

/**
 * Asks once, and makes sure that what comes back is the result that the load is about. All
 * later answers are only compared with the first in size.
 *
 * @returns the body
 */
export async function checkedAnswer ({ method, toolCount }: Load, { path, headers, body }: LoadRequest, port: number): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  const text = await reply.text()
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
  const message = JSON.parse(isStream ? dataOf(text) : text) as {
    readonly result?: { readonly tools?: readonly unknown[], readonly structuredContent?: object, readonly isError?: boolean }
  }
  const { result } = message
  const isRight = method === 'tools/list'
    ? result?.tools?.length === toolCount
    : result?.isError !== true && result?.structuredContent !== undefined && 'text' in result.structuredContent
  if (!isRight) throw new Error(`${method} for ${echoTool.name} was answered with status ${reply.status}: ${text.slice(0, 500)}`)
  return text
}

function dataOf (events: string): string {
  return /^data: (.+)$/m.exec(events)?.[1] ?? ''
}
