import type { Topic } from '../events/event-bus.ts'
import type { Principal } from '../protocol/principal.ts'
import type { Asking } from './asking.ts'

/** One reading: its caller, and a signal that fires when the reading does not matter any more. */
export interface ResourceCall {
  readonly principal: Principal
  readonly signal: AbortSignal
}

/** One piece of what a resource holds (RES-02). */
export type ResourceContent =
  | { readonly mimeType: string, readonly text: string }
  | { readonly mimeType: string, readonly blob: string }

export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/**
 * A family of resources under one URI template, e.g. `mooring://devices/{id}`; without
 * variables it is a single resource. A variable matches one path segment.
 */
export interface ResourceDefinition {
  readonly uriTemplate: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  /** True when reading may ask the caller; reading any other resource must not. */
  readonly asks?: boolean
  /**
   * The members that `resources/list` shows. They may depend on what exists for all callers,
   * never on what the caller did before (LIST-02).
   */
  readonly list?: () => Promise<readonly ListedResource[]>
  /**
   * Reads one member; variables arrive percent-decoded.
   *
   * @returns `undefined` when there is no such resource, or not for this caller
   */
  readonly read: (variables: Readonly<Record<string, string>>, call: ResourceCall & Asking) => Promise<ResourceContent | undefined>
  /**
   * Where changes of one member are published. Asked when a caller subscribes, so it must cost
   * little and leave no trace; variables arrive percent-decoded.
   *
   * @returns `undefined` when there is no such resource, or not for this caller
   */
  readonly topicOf: (variables: Readonly<Record<string, string>>, call: ResourceCall) => Promise<Topic | undefined>
  /** Values that a variable can have, for completion. */
  readonly complete?: Readonly<Record<string, (call: ResourceCall) => Promise<readonly string[]>>>
}
