import type { Platform, Rect } from '../../device-types.ts'
import { facts, type Draft, type KeyboardLayer, type Touch } from './box.ts'
import type { SystemWords } from './system-words.ts'
import { centeredText, typeStyles } from './draft-text.ts'

const rowsOf: Readonly<Record<KeyboardLayer, readonly string[]>> = {
  letters: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  capitals: ['QWERTYUIOP', 'ASDFGHJKL', 'ZXCVBNM'],
  symbols: ['1234567890', '@#€_&-+()', '*":;!?/']
}

interface KeyboardKey {
  readonly label: string
  /** Widths of a letter key. */
  readonly span: number
  readonly touch: Touch
  readonly special: boolean
  /** In the UI tree; letters are left out of it, as on real phones. */
  readonly description?: string
}

/** The soft keyboard: every key that is drawn works. */
export function placeKeyboard (area: Rect, { layer, platform, density, enter, say }: {
  readonly layer: KeyboardLayer
  readonly platform: Platform
  readonly density: number
  /** What the enter key does. */
  readonly enter: 'done' | 'go' | 'return'
  readonly say: SystemWords
}): Draft {
  const gap = 5 * density
  const rows = keyRows(layer, say(enter), say('Hide keyboard'))
  const keyHeight = Math.floor((area.height - gap) / rows.length) - gap
  const unit = Math.floor((area.width - gap) / 10)
  const keys = rows.flatMap((row, rowIndex) => {
    const width = row.reduce((sum, key) => sum + key.span * unit, 0)
    let x = area.x + Math.floor((area.width - width) / 2)
    return row.map((key, index): Draft => {
      const rect = {
        x: Math.round(x + gap / 2),
        y: area.y + gap + rowIndex * (keyHeight + gap),
        width: Math.round(key.span * unit - gap),
        height: keyHeight
      }
      x += key.span * unit
      return placeKey(key, `keyboard.${rowIndex}.${index}`, rect, platform, density)
    })
  })
  return {
    key: 'keyboard',
    rect: area,
    paints: [{ kind: 'surface', color: 'keyboard' }],
    facts: facts('group', { description: say('Keyboard') }),
    children: keys
  }
}

function placeKey (key: KeyboardKey, boxKey: string, rect: Rect, platform: Platform, density: number): Draft {
  const isEnter = key.description !== undefined && key.touch.kind === 'key'
  const color = isEnter ? 'onAccent' : 'text'
  return {
    key: boxKey,
    rect,
    paints: [{ kind: 'surface', color: isEnter ? 'accent' : key.special ? 'specialKey' : 'key', radius: (platform === 'ios' ? 6 : 9) * density }],
    ...(key.description === undefined ? {} : { facts: facts('key', { text: key.description, clickable: true }) }),
    tap: key.touch,
    children: [centeredText(key.label, { ...typeStyles.body, size: key.special ? 15 : 19, lineHeight: 26, color }, `${boxKey}/label`, rect, density)]
  }
}

function keyRows (layer: KeyboardLayer, enterLabel: string, hideLabel: string): KeyboardKey[][] {
  const [first = '', second = '', third = ''] = rowsOf[layer]
  const shift: KeyboardKey = special('⇧', 1.5, { kind: 'keyboardLayer', layer: layer === 'letters' ? 'capitals' : 'letters' })
  const erase: KeyboardKey = special('⌫', 1.5, { kind: 'key', key: 'delete' })
  return [
    [...first].map(letter),
    [...second].map(letter),
    [...(layer === 'symbols' ? [] : [shift]), ...[...third].map(letter), erase],
    [
      special(layer === 'symbols' ? 'abc' : '123', 1.5, { kind: 'keyboardLayer', layer: layer === 'symbols' ? 'letters' : 'symbols' }),
      letter(','),
      { label: ' ', span: 3.5, touch: { kind: 'type', text: ' ' }, special: false },
      letter('.'),
      { ...special('▾', 1, { kind: 'hideKeyboard' }), description: hideLabel },
      { ...special(enterLabel, 2, { kind: 'key', key: 'enter' }), description: enterLabel }
    ]
  ]
}

function letter (label: string): KeyboardKey {
  return { label, span: 1, touch: { kind: 'type', text: label }, special: false }
}

function special (label: string, span: number, touch: Touch): KeyboardKey {
  return { label, span, touch, special: true }
}
