import type { z } from 'zod'
import type { LogLevel } from '../protocol/log-level.ts'
import type { JsonObject } from '../protocol/message.ts'
import type { Principal } from '../protocol/principal.ts'
import type { Asking } from './asking.ts'

/** Blocks of a tool result (CALL-05). */
export type ContentBlock =
  | { readonly type: 'text', readonly text: string }
  | { readonly type: 'image' | 'audio', readonly data: string, readonly mimeType: string }
  | { readonly type: 'resource_link', readonly uri: string, readonly name: string, readonly mimeType?: string }
  | {
    readonly type: 'resource'
    readonly resource: { readonly uri: string, readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })
  }

/** What a tool call comes back with. A "no" is a thrown `Refusal`, never a result. */
export interface ToolOutput {
  readonly content: readonly ContentBlock[]
  readonly structuredContent: Readonly<Record<string, unknown>>
  /**
   * Takes back exactly what this call made, for a caller that went away before it learned of
   * it: a lease whose holder does not know of it would block its phone until it expires.
   */
  readonly undo?: () => Promise<void>
}

/** Something a call did that it was not called for, and that its caller has to learn of whatever comes of the call. */
export interface Aside {
  /** A line or two, which come before everything else. */
  readonly text: string
  /** Members of `structuredContent`; the tool's own come first. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Takes it back, for a caller that was not told. */
  readonly undo: () => Promise<void>
}

/** What a call tells of itself, for the log and for telemetry. Callers never see it. */
export interface CallNotes {
  /** The call is about this device. */
  noteDevice (deviceId: string): void
  /** The call has only waited so long: for a phone, for the screen, for its caller, for its turn. That is not counted as work. */
  noteWait (waitedMs: number): void
}

/** What a tool knows of the call besides its arguments. It can ask its caller: `asking.ts` has the rules. */
export interface ToolCall extends Asking, CallNotes {
  readonly principal: Principal
  /** The hash of the caller's session key, if it has one: names a default lease, and authorizes nothing. */
  readonly sessionKey: string | undefined
  /** Fires when the caller has gone or cancelled. */
  readonly signal: AbortSignal
  /** Tells the caller how far the work is; does nothing for a caller that did not ask. */
  readonly progress: (step: { readonly progress: number, readonly total?: number, readonly message?: string }) => void
  /** Tells a caller that wants log messages what is going on; never secrets or typed text (LOG-03). */
  readonly log: (level: LogLevel, data: Readonly<Record<string, unknown>>) => void
  /** Adds something to whatever the call comes back with, be it a refusal. */
  addAside (aside: Aside): void
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** One tool: everything that is published about it, and what it does. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** Written for an agent: when to use it, what comes back. */
  readonly description: string
  /** A strict object: unknown arguments are refused. */
  readonly input: Input
  readonly annotations: ToolAnnotations
  /** True when the call may report progress or log, and so may be answered by a stream. */
  readonly reports?: boolean
  /** True when the call may ask its caller; a call of any other tool must not. */
  readonly asks?: boolean
  /**
   * How long a call may wait for something to come free before its work begins, from arguments
   * that are not checked yet. Its answer is a stream that stays alive and can carry progress,
   * that time is not counted as work, and the wait ends when the caller has gone, in either era.
   */
  readonly maxWaitMs?: (given: JsonObject) => number
  readonly run: (input: z.output<Input>, call: ToolCall) => Promise<ToolOutput>
}

/**
 * A tool whose arguments a JSON Schema describes. Both schemas are published as they are here,
 * keyword by keyword (SCHEMA-05), and compiled once, when the tool is registered.
 */
export interface SchemaTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  /** JSON Schema 2020-12 with an object at its root (SCHEMA-04). */
  readonly inputSchema: JsonObject
  /** What `structuredContent` looks like. */
  readonly outputSchema?: JsonObject
  readonly annotations?: ToolAnnotations
  /** True when the call may report progress or log, and so may be answered by a stream. */
  readonly reports?: boolean
  /** True when the call may ask its caller; a call of any other tool must not. */
  readonly asks?: boolean
  readonly maxWaitMs?: (given: JsonObject) => number
  /** The arguments come as they were sent. */
  readonly run: (input: JsonObject, call: ToolCall) => Promise<{
    readonly content: readonly ContentBlock[]
    /** Any JSON value; required by an `outputSchema` (CALL-04, CALL-06). */
    readonly structuredContent?: unknown
    readonly undo?: ToolOutput['undo']
  }>
}

/** One round of a call that is passed on. */
export interface ForwardedCall extends Pick<ToolCall, 'principal' | 'sessionKey' | 'signal' | 'progress' | 'log'> {
  /** What the caller can be asked, in the shape of ClientCapabilities: a question beyond it never reaches the caller. */
  readonly capabilities: JsonObject
  /** The answers to the questions of the round before, by key; undefined in the first round. */
  readonly inputResponses: JsonObject | undefined
  /** The state that came with those questions, byte for byte; undefined where none did. */
  readonly requestState: string | undefined
}

/** What comes back from where a call was passed on to. */
export type ForwardedResult =
  /** The result as it came: `isError`, `_meta` and content blocks of any kind included. */
  | { readonly kind: 'complete', readonly body: JsonObject, readonly undo?: () => Promise<void> }
  /** Questions to the caller (MRTR-02), by key; the call goes on with their answers. At least one of both members is there. */
  | { readonly kind: 'input_required', readonly inputRequests?: JsonObject, readonly requestState?: string }

/**
 * A tool that is served elsewhere: its calls are passed on, and what comes back is passed on to
 * the caller as it is. The arguments are left to its own server to check, which knows them best.
 */
export interface ForwardingTool {
  readonly name: string
  /** All that is listed of it, as its own server lists it, unknown members included; `name` above counts. */
  readonly published: JsonObject
  /** True when the call may report progress or log, and so may be answered by a stream. */
  readonly reports?: boolean
  /** True when the call may ask its caller. */
  readonly asks?: boolean
  readonly maxWaitMs?: (given: JsonObject) => number
  /** Passes one round of a call on; the arguments come as they were sent. */
  readonly forward: (given: JsonObject, call: ForwardedCall) => Promise<ForwardedResult>
}

/** A tool whose work is done here. */
export type OwnTool = ToolDefinition | SchemaTool

/** A tool of any kind. */
export type OfferedTool = OwnTool | ForwardingTool

/** Keeps the types of a definition's input and handler together while a list of tools forgets them. */
export function defineTool<Input extends z.ZodObject> (tool: ToolDefinition<Input>): ToolDefinition {
  return tool as unknown as ToolDefinition
}
