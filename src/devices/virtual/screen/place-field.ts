import type { FieldNode } from '../apps/app-node.ts'
import { displayText } from '../apps/json-value.ts'
import { readPath, type Scope } from '../apps/scope.ts'
import { facts, type Draft } from './box.ts'
import { textPaint, typeStyles } from './draft-text.ts'
import type { Layout, Slot } from './layout.ts'
import { descriptionOf, isEnabled, optionalText, shownText } from './node-values.ts'
import { tailThatFits, wrapText, type TextLine } from './wrap-text.ts'

const padding = 14
const fewestLines = 4
const mostLines = 8
// More characters than any width can show.
const longestLine = 400

/** A field and what stands in it. Of a password nothing but its length gets further than here. */
export function placeField (node: FieldNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const { density, textDensity, focus, canPaste } = layout
  const value = shownText(displayText(readPath(scope, node.bind)))
  const shown = node.password ? '•'.repeat([...value].length) : value
  const label = optionalText(node.label, scope)
  const hint = optionalText(node.hint, scope)
  const enabled = isEnabled(node, scope)
  const cursor = focus?.key === key ? Math.min(focus.cursor, value.length) : undefined
  const width = slot.width - 2 * padding * density

  const top = slot.y + (label === undefined ? 15 : 9) * density
  const labelDraft = label === undefined ? undefined : labelLine(label, `${key}/label`, slot.x + padding * density, top, width, textDensity, cursor !== undefined)
  const textTop = labelDraft === undefined ? top : labelDraft.rect.y + labelDraft.rect.height + 2 * density
  // One bullet stands for a character, however many units that has.
  const shownCursor = node.password && cursor !== undefined ? [...value.slice(0, cursor)].length : cursor
  const text = fieldText(shown, hint ?? '', { width, density: textDensity, multiline: node.multiline, cursor: shownCursor })
  const lines = node.multiline ? Math.max(text.lines.length, fewestLines) : 1
  const textDraft: Draft = {
    key: `${key}/value`,
    rect: { x: slot.x + padding * density, y: textTop, width, height: lines * text.lineHeight },
    paints: [text],
    children: []
  }
  const bottom = textDraft.rect.y + textDraft.rect.height + (label === undefined ? 15 : 9) * density
  return {
    key,
    rect: { ...slot, height: bottom - slot.y },
    paints: [{
      kind: 'surface',
      color: enabled ? 'surface' : 'sunken',
      radius: 12 * density,
      border: cursor === undefined ? { color: 'border', width: 1.2 * density } : { color: 'accent', width: 2 * density }
    }],
    facts: facts('field', {
      ...(node.id === undefined ? {} : { id: node.id }),
      ...(shown === '' ? {} : { text: shown }),
      ...(hint === undefined ? {} : { hint }),
      ...descriptionOf(node.desc ?? node.label, scope),
      clickable: true,
      longClickable: canPaste,
      enabled,
      focused: cursor !== undefined,
      password: node.password
    }),
    ...(enabled
      ? {
          tap: { kind: 'focus' },
          ...(canPaste ? { longPress: { kind: 'offerPaste' } as const } : {}),
          field: {
            path: node.bind,
            scope,
            multiline: node.multiline,
            maxLength: node.maxLength,
            ...(node.submit === undefined ? {} : { submit: node.submit })
          }
        }
      : {}),
    children: labelDraft === undefined ? [textDraft] : [labelDraft, textDraft]
  }
}

function labelLine (label: string, key: string, x: number, y: number, width: number, density: number, focused: boolean): Draft {
  const paint = textPaint(label, { ...typeStyles.label, color: focused ? 'accent' : 'secondary' }, { width, density }, { mostLines: 1 })
  return { key, rect: { x, y, width, height: paint.lineHeight }, paints: [paint], children: [] }
}

function fieldText (shown: string, hint: string, { width, density, multiline, cursor }: {
  readonly width: number
  readonly density: number
  readonly multiline: boolean
  readonly cursor: number | undefined
}): ReturnType<typeof textPaint> {
  const style = shown === '' ? { ...typeStyles.body, color: 'secondary' as const } : typeStyles.body
  const base = textPaint('', style, { width, density })
  if (shown === '') {
    const lines = textPaint(hint, style, { width, density }, { mostLines: multiline ? fewestLines : 1 }).lines
    return { ...base, lines, ...(cursor === undefined ? {} : { caret: { line: 0, column: 0 } }) }
  }
  const fit = { width: width - 4 * density, size: base.size, bold: false }
  const lines = multiline ? lastLines(wrapText(shown, fit), cursor) : [oneLine(shown.slice(0, cursor ?? 0), shown, fit)]
  if (cursor === undefined) return { ...base, lines }
  const line = Math.max(lines.findLastIndex(({ start }) => start <= cursor), 0)
  const column = Math.max(cursor - (lines[line]?.start ?? 0), 0)
  return { ...base, lines, caret: { line, column } }
}

// Up to the cursor when the text is longer than the field, from its beginning otherwise.
function oneLine (beforeCursor: string, whole: string, fit: Parameters<typeof tailThatFits>[1]): TextLine {
  const tail = tailThatFits(beforeCursor, fit)
  if (tail.start > 0) return tail
  const [line] = wrapText(whole.slice(0, longestLine).replaceAll(' ', '\u00a0'), fit)
  return line ?? { text: '', start: 0 }
}

function lastLines (lines: readonly TextLine[], cursor: number | undefined): readonly TextLine[] {
  const at = cursor === undefined ? lines.length - 1 : Math.max(lines.findLastIndex(({ start }) => start <= cursor), 0)
  const from = Math.max(Math.min(at - mostLines + 1, lines.length - mostLines), 0)
  return lines.slice(from, from + mostLines)
}
