/**
 * What a listen stream asks for, and what of it it may have (SUB-01, SUB-02, SUB-09).
 *
 * What is not offered, what does not exist and what another holder has are left out alike: the
 * acknowledgement never tells one from the other.
 */
import { invalidParams } from '../protocol/error-table.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { listNames, type ListName, type Topic } from './event-bus.ts'

export interface AskedFilter {
  readonly lists: readonly ListName[]
  /** Without repetition. */
  readonly uris: readonly string[]
  readonly taskIds: readonly string[]
}

/** A resource that can be subscribed to. */
export interface WatchedResource {
  /** As changes of it are published; the caller may spell it in another way. */
  readonly uri: string
  /** Where changes of it are published. */
  readonly topic: Topic
}

/** @returns undefined when there is no such resource, or not for this caller */
export type FindResource = (uri: string) => Promise<WatchedResource | undefined>

export interface GrantedResource extends WatchedResource {
  /** The URI in the caller's own spelling. */
  readonly asked: string
}

export interface GrantedFilter {
  readonly lists: readonly ListName[]
  readonly resources: readonly GrantedResource[]
}

const listMembers = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const

/** Reads `params.notifications`. Types of notifications that are not known here are passed over. */
export function readListenFilter ({ notifications }: JsonObject): AskedFilter {
  if (!isObject(notifications)) {
    throw new ProtocolError(invalidParams('params.notifications must be an object that says which notifications are wanted.'))
  }
  return {
    lists: listNames.filter((list) => readFlag(notifications, listMembers[list])),
    uris: readTexts(notifications, 'resourceSubscriptions'),
    taskIds: readTexts(notifications, 'taskIds')
  }
}

function readFlag (notifications: JsonObject, member: string): boolean {
  const value = notifications[member] ?? false
  if (typeof value !== 'boolean') throw new ProtocolError(invalidParams(`params.notifications.${member} must be true or false.`))
  return value
}

function readTexts (notifications: JsonObject, member: string): readonly string[] {
  const value = notifications[member] ?? []
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw new ProtocolError(invalidParams(`params.notifications.${member} must be a list of strings.`))
  }
  return [...new Set(value)]
}

/** The part of a filter that is honoured. */
export async function grantFilter ({ lists, uris }: AskedFilter, find: FindResource): Promise<GrantedFilter> {
  const resources = new Map<string, GrantedResource>()
  for (const asked of uris) {
    const found = await find(asked)
    // Of two spellings of one resource the first is honoured.
    if (found !== undefined && !resources.has(found.uri)) resources.set(found.uri, { ...found, asked })
  }
  return { lists, resources: [...resources.values()] }
}

export function isEmpty ({ lists, resources }: GrantedFilter): boolean {
  return lists.length === 0 && resources.length === 0
}

/** The honoured filter as the acknowledgement shows it. */
export function publishedFilter ({ lists, resources }: GrantedFilter): JsonObject {
  return {
    ...Object.fromEntries(lists.map((list) => [listMembers[list], true])),
    ...(resources.length === 0 ? {} : { resourceSubscriptions: resources.map(({ asked }) => asked) })
  }
}
