import type { SKRSContext2D } from '@napi-rs/canvas'
import type { Rect } from '../../device-types.ts'
import type { Paint } from '../screen/box.ts'
import { glyphFont, textFont } from './fonts.ts'
import { colorOf, type Theme } from './theme.ts'

/** What every drawing needs to know. */
export interface Brush {
  readonly context: SKRSContext2D
  readonly theme: Theme
  /** Device pixels to one dp. */
  readonly density: number
  /** The time in the status bar, and on what has a clock. */
  readonly time: string
  /** The screen is laid out from right to left. */
  readonly isMirrored: boolean
}

/** Draws one paint into its box. */
export function drawPaint (paint: Paint, rect: Rect, clip: Rect, brush: Brush): void {
  switch (paint.kind) {
    case 'surface':
      return drawSurface(paint, rect, brush)
    case 'text':
      return drawText(paint, rect, clip, brush)
    case 'glyph':
      return drawGlyph(paint.glyph, rect, paint.size, colorOf(paint.color, brush.theme), brush)
    case 'switch':
      return flipped(rect, brush, () => drawSwitch(paint, rect, brush))
    case 'checkbox':
      return drawCheckbox(paint, rect, brush)
    case 'chevron':
      return flipped(rect, brush, () => drawStroke([[0.35, -5], [0.85, 0], [0.35, 5]], rect, 2, colorOf(paint.color, brush.theme), brush))
    case 'backArrow':
      return flipped(rect, brush, () => drawBackArrow(colorOf(paint.color, brush.theme), rect, brush))
    case 'clock':
      return drawClock(paint.size, rect, brush)
  }
}

/** What points to one side points to the other on a mirrored screen. */
function flipped ({ x, width }: Rect, { context, isMirrored }: Brush, draw: () => void): void {
  if (!isMirrored) return draw()
  context.save()
  context.translate(2 * x + width, 0)
  context.scale(-1, 1)
  draw()
  context.restore()
}

function drawSurface (paint: Extract<Paint, { kind: 'surface' }>, { x, y, width, height }: Rect, { context, theme, density }: Brush): void {
  context.save()
  context.fillStyle = colorOf(paint.color, theme)
  if (paint.raised === true) {
    context.shadowColor = 'rgba(20, 22, 50, 0.13)'
    context.shadowBlur = 5 * density
    context.shadowOffsetY = 1.2 * density
  }
  context.beginPath()
  context.roundRect(x, y, width, height, paint.radius ?? 0)
  context.fill()
  context.restore()
  if (paint.border === undefined) return
  const inset = paint.border.width / 2
  context.strokeStyle = colorOf(paint.border.color, theme)
  context.lineWidth = paint.border.width
  context.beginPath()
  context.roundRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset, Math.max((paint.radius ?? 0) - inset, 0))
  context.stroke()
}

function drawText (paint: Extract<Paint, { kind: 'text' }>, rect: Rect, clip: Rect, { context, theme, density, isMirrored }: Brush): void {
  context.font = textFont(paint.size, paint.bold)
  context.textBaseline = 'middle'
  // A text of thousands of lines is mostly out of sight.
  const first = Math.max(Math.floor((clip.y - rect.y) / paint.lineHeight), 0)
  const last = Math.min(Math.ceil((clip.y + clip.height - rect.y) / paint.lineHeight), paint.lines.length)
  let rightToLeft = isRightToLeft(paint.lines[first]?.text ?? '') ?? false
  for (let at = first; at < last; at += 1) {
    const text = paint.lines[at]?.text.trimEnd() ?? ''
    rightToLeft = isRightToLeft(text) ?? rightToLeft
    const middle = rect.y + (at + 0.5) * paint.lineHeight
    // A text of the other direction keeps to the side on which its own readers begin, unless the whole screen is theirs.
    const align = paint.align === 'center' ? 'center' : (paint.align === 'end') === (rightToLeft || isMirrored) ? 'left' : 'right'
    const x = align === 'center' ? rect.x + rect.width / 2 : align === 'left' ? rect.x : rect.x + rect.width
    context.direction = rightToLeft ? 'rtl' : 'ltr'
    context.textAlign = align
    context.fillStyle = colorOf(paint.color, theme)
    if (text !== '') context.fillText(text, x, middle, rect.width)
    if (paint.caret?.line === at) {
      const before = context.measureText(paint.lines[at]?.text.slice(0, paint.caret.column) ?? '').width
      context.fillStyle = theme.accent
      const whole = rightToLeft || align === 'left' ? 0 : context.measureText(text).width
      const edge = Math.min(Math.max(rightToLeft ? x - before : x - whole + before, rect.x), rect.x + rect.width - 1)
      // Beside the character that it stands before, so that it covers none, a hint's first one neither.
      context.fillRect(rightToLeft ? edge + density : edge - 3 * density, middle - paint.size * 0.62, 2 * density, paint.size * 1.24)
    }
  }
  context.direction = 'ltr'
}

function drawGlyph (glyph: string, rect: Rect, size: number, color: string, { context }: Brush): void {
  context.font = glyphFont(size)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = color
  context.fillText(glyph, rect.x + rect.width / 2, rect.y + rect.height / 2 + size * 0.06, rect.width)
}

function drawSwitch ({ on, enabled }: { readonly on: boolean, readonly enabled: boolean }, rect: Rect, { context, theme, density }: Brush): void {
  const [width, height] = [52 * density, 30 * density]
  const y = rect.y + (rect.height - height) / 2
  context.globalAlpha = enabled ? 1 : 0.45
  context.fillStyle = on ? theme.accent : theme.border
  context.beginPath()
  context.roundRect(rect.x, y, width, height, height / 2)
  context.fill()
  context.fillStyle = on ? theme.onAccent : theme.surface
  context.beginPath()
  context.arc(rect.x + (on ? width - height / 2 : height / 2), y + height / 2, height / 2 - 3 * density, 0, 2 * Math.PI)
  context.fill()
  context.globalAlpha = 1
}

function drawCheckbox ({ on, enabled }: { readonly on: boolean, readonly enabled: boolean }, rect: Rect, brush: Brush): void {
  const { context, theme, density } = brush
  const size = 22 * density
  const box = { x: brush.isMirrored ? rect.x : rect.x + rect.width - size, y: rect.y + (rect.height - size) / 2, width: size, height: size }
  context.globalAlpha = enabled ? 1 : 0.45
  drawSurface({
    kind: 'surface', color: on ? 'accent' : 'surface', radius: 5 * density, border: { color: on ? 'accent' : 'secondary', width: 2 * density }
  }, box, brush)
  if (on) drawStroke([[0.22, 0.5], [0.42, 5], [0.78, -5]], box, 2.6, theme.onAccent, brush)
  context.globalAlpha = 1
}

function drawBackArrow (color: string, rect: Rect, brush: Brush): void {
  drawStroke([[0.5, -8], [0.17, 0], [0.5, 8]], rect, 2.4, color, brush)
  drawStroke([[0.17, 0], [0.92, 0]], rect, 2.4, color, brush)
}

// Points as a share of the width, and dp from the middle line.
function drawStroke (points: ReadonlyArray<readonly [number, number]>, rect: Rect, width: number, color: string, { context, density }: Brush): void {
  context.strokeStyle = color
  context.lineWidth = width * density
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.beginPath()
  for (const [share, up] of points) context.lineTo(rect.x + rect.width * share, rect.y + rect.height / 2 + up * density)
  context.stroke()
}

function drawClock (size: number, rect: Rect, { context, theme, time }: Brush): void {
  context.font = textFont(size, false)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = theme.onWallpaper
  context.fillText(time, rect.x + rect.width / 2, rect.y + rect.height / 2, rect.width)
}

// By the first letter that has a direction; undefined when none has.
function isRightToLeft (text: string): boolean | undefined {
  const letter = /\p{Letter}/u.exec(text)?.[0]
  return letter === undefined ? undefined : /[\u0590-\u08ff\ufb1d-\ufefc]/.test(letter)
}
