/** `subscriptions/listen`: a stream of what changes (SUB-01…11). */
import { readListenFilter } from '../events/listen-filter.ts'
import type { ListenRegistry } from '../events/listen-registry.ts'
import { invalidParams, missingClientCapability } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { toldLists, type CatalogView } from './catalog/catalog.ts'
import type { MethodTable } from './method.ts'
import { findResource } from './resources.ts'

/** Every message of the stream repeats the id. */
const maxIdCharacters = 256

const tasksExtension = 'io.modelcontextprotocol/tasks'

export function createListenMethods ({ registry }: { readonly registry: ListenRegistry }): MethodTable {
  async function open (
    { id, params, clientCapabilities, principal, signal }: McpRequest, view: CatalogView, stream: MessageStream
  ): Promise<void> {
    if (typeof id === 'string' && id.length > maxIdCharacters) {
      throw new ProtocolError(invalidParams(
        `The id of a listen request may have ${maxIdCharacters} characters, since every message of its stream repeats it.`
      ))
    }
    const asked = readListenFilter(params)
    // SUB-10. No tasks are told of, so with the extension they are left out like any other type.
    if (asked.taskIds.length > 0 && !declaresTasks(clientCapabilities)) {
      throw new ProtocolError(missingClientCapability({ extensions: { [tasksExtension]: {} } }))
    }
    // SUB-02: a list whose changes are not published is not honoured.
    const told = toldLists(view.capabilities)
    const lists = asked.lists.filter((list) => told.includes(list))
    await registry.open({
      id, principal, asked: { ...asked, lists }, find: (uri) => findResource(view, uri, { principal, signal }), output: stream
    })
  }

  return { 'subscriptions/listen': { eras: ['modern'], open } }
}

function declaresTasks ({ extensions }: JsonObject): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension])
}
