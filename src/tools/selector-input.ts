import { z } from 'zod'
import { elementRoles, type Point } from '../devices/device-types.ts'
import { isBlank } from '../devices/screen/fold.ts'
import { longestPattern } from '../devices/screen/match-pattern.ts'
import { plainId } from '../devices/screen/plain-id.ts'
import type { Selector } from '../devices/screen/selector.ts'

const blank = 'has nothing in it that can be seen'
/** A text to look for, of which something can be seen: blanks would find what has no name. */
export const wantedText = z.string().min(1).max(500).refine((text) => !isBlank(text), { error: blank })

const selectorMembers = {
  ref: z.string().min(1).max(12).optional().describe('From the last screen, e.g. e5; alone'),
  text: wantedText.optional().describe('Label or part of it'),
  textMatches: z.string().min(1).max(longestPattern).refine((pattern) => !isBlank(pattern), { error: blank }).optional().describe('Regular expression, case ignored'),
  id: wantedText.refine((id) => !isBlank(plainId(id)), { error: blank }).optional().describe('Resource id'),
  desc: wantedText.optional().describe('Accessibility description'),
  role: z.enum(elementRoles).optional(),
  index: z.int().min(0).max(999).optional().describe('Which of several matches, from 0')
}

const namesNothing = 'Name an element by ref, text, textMatches, id, desc or role.'
const refStandsAlone = '`ref` stands alone: remove the other members.'

/**
 * The one schema behind every selector argument. It names itself, so it is published once per
 * tool under `$defs`, and the other arguments stay inline: sharing more (zod's `reused: 'ref'`)
 * was measured and costs half as many tokens again.
 */
export const selectorInput: z.ZodType<Selector> = z.strictObject({
  ...selectorMembers,
  get within (): z.ZodOptional<z.ZodType<Selector>> { return selectorInput.optional().describe('Only inside, or in one row with, this element') }
})
  .refine(namesSomething, { error: namesNothing, abort: true })
  .refine(hasNothingBesideRef, { error: refStandsAlone })
  .meta({ id: 'Selector' })

const coordinate = z.number().min(0).max(100_000)

export interface PointInput {
  readonly x: number
  readonly y: number
  readonly unit: 'px' | 'ratio'
}

/** A point on the screen. */
export const pointInput = z.strictObject({
  x: coordinate,
  y: coordinate,
  unit: z.enum(['px', 'ratio']).default('px').describe('px: device pixels; ratio: 0..1 of the screen')
}).refine(isInUnit, { error: 'With unit `ratio`, x and y are between 0 and 1.' })

/**
 * A selector or a point in one object: of a union, callers that mistake one member are told of
 * the wrong branch.
 */
export const targetInput = z.strictObject({
  ...selectorMembers,
  within: selectorInput.optional(),
  x: coordinate.optional().describe('Instead of an element: a point'),
  y: coordinate.optional(),
  unit: z.enum(['px', 'ratio']).optional().describe('Of x and y; px is the default')
}).superRefine((target, context) => {
  const problem = problemOf(target)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
export type TargetInput = z.output<typeof targetInput>

/** What a target names: an element or a point. */
export function parseTarget ({ x, y, unit = 'px', ...selector }: TargetInput): { readonly selector: Selector } | { readonly point: PointInput } {
  return x === undefined || y === undefined ? { selector } : { point: { x, y, unit } }
}

/** The point in device pixels. */
export function inPixels (point: PointInput, size: { readonly width: number, readonly height: number }): Point {
  if (point.unit === 'px') return { x: Math.floor(point.x), y: Math.floor(point.y) }
  return {
    x: Math.min(Math.floor(point.x * size.width), size.width - 1),
    y: Math.min(Math.floor(point.y * size.height), size.height - 1)
  }
}

function problemOf ({ x, y, unit, ...selector }: TargetInput): string | undefined {
  if (x === undefined && y === undefined && unit === undefined) {
    if (!namesSomething(selector)) return 'Name an element by ref, text, textMatches, id, desc or role, or a point by x and y.'
    return hasNothingBesideRef(selector) ? undefined : refStandsAlone
  }
  if (x === undefined || y === undefined) return 'A point has both x and y.'
  if (Object.values(selector).some((value) => value !== undefined)) return 'Name an element or a point, not both.'
  return isInUnit({ x, y, unit: unit ?? 'px' }) ? undefined : 'With unit `ratio`, x and y are between 0 and 1.'
}

function namesSomething ({ ref, text, textMatches, id, desc, role }: Selector): boolean {
  return [ref, text, textMatches, id, desc, role].some((member) => member !== undefined)
}

function hasNothingBesideRef ({ ref, ...others }: Selector): boolean {
  return ref === undefined || Object.values(others).every((member) => member === undefined)
}

function isInUnit ({ x, y, unit }: PointInput): boolean {
  return unit === 'px' || (x <= 1 && y <= 1)
}
