import type { TextStyle } from '../apps/app-node.ts'
import type { Color, Draft, Paint, UiFacts } from './box.ts'
import { facts } from './box.ts'
import { limitLines, wrapText } from './wrap-text.ts'

/** A way to set text, lengths in dp. */
export interface TypeStyle {
  readonly size: number
  readonly lineHeight: number
  readonly bold: boolean
  readonly color: Color
}

export const typeStyles = {
  title: { size: 26, lineHeight: 36, bold: true, color: 'text' },
  heading: { size: 14, lineHeight: 20, bold: true, color: 'accent' },
  body: { size: 16, lineHeight: 24, bold: false, color: 'text' },
  caption: { size: 13.5, lineHeight: 20, bold: false, color: 'secondary' },
  error: { size: 14, lineHeight: 20, bold: false, color: 'danger' },
  bar: { size: 20, lineHeight: 28, bold: true, color: 'text' },
  label: { size: 12.5, lineHeight: 17, bold: false, color: 'secondary' },
  button: { size: 15.5, lineHeight: 22, bold: true, color: 'onAccent' },
  itemTitle: { size: 16, lineHeight: 23, bold: false, color: 'text' },
  itemDetail: { size: 13.5, lineHeight: 19, bold: false, color: 'secondary' }
} satisfies Record<TextStyle | 'bar' | 'label' | 'button' | 'itemTitle' | 'itemDetail', TypeStyle>

export interface TextPlace {
  readonly key: string
  readonly x: number
  readonly y: number
  readonly width: number
  /** Device pixels to one dp. */
  readonly density: number
}

/** A text of the UI tree, wrapped into the width. */
export function draftText (text: string, style: TypeStyle, place: TextPlace, options: {
  readonly align?: 'start' | 'center' | 'end'
  readonly mostLines?: number
  readonly facts?: Partial<Omit<UiFacts, 'role'>>
} = {}): Draft {
  const paint = textPaint(text, style, place, options)
  const height = paint.lines.length * paint.lineHeight
  return {
    key: place.key,
    rect: { x: place.x, y: place.y, width: place.width, height },
    paints: [paint],
    facts: facts('text', { text, ...options.facts }),
    children: []
  }
}

/** How a text looks when it is wrapped into the width. */
export function textPaint (text: string, style: TypeStyle, { width, density }: Pick<TextPlace, 'width' | 'density'>, options: {
  readonly align?: 'start' | 'center' | 'end'
  readonly mostLines?: number
} = {}): Extract<Paint, { kind: 'text' }> {
  const fit = { width, size: style.size * density, bold: style.bold }
  const lines = limitLines(wrapText(text, fit), options.mostLines ?? Infinity, fit)
  return {
    kind: 'text',
    lines,
    size: fit.size,
    lineHeight: Math.round(style.lineHeight * density),
    bold: style.bold,
    color: style.color,
    align: options.align ?? 'start'
  }
}

/** A text in the middle of a rectangle. It is drawn only: what it says is in the tree already. */
export function centeredText (text: string, style: TypeStyle, key: string, rect: Draft['rect'], density: number): Draft {
  const mostLines = Math.max(1, Math.floor(rect.height / (style.lineHeight * density)))
  const paint = textPaint(text, style, { width: rect.width, density }, { align: 'center', mostLines })
  const height = paint.lines.length * paint.lineHeight
  return { key, rect: { ...rect, y: rect.y + Math.round((rect.height - height) / 2), height }, paints: [paint], children: [] }
}
