import type { Rect } from '../../device-types.ts'
import type { ButtonStyle, DialogNode } from '../apps/app-node.ts'
import type { Scope } from '../apps/scope.ts'
import type { SystemDialog } from '../phone/phone-state.ts'
import { facts, moveDraft, type Draft, type Touch } from './box.ts'
import { centeredText, draftText, textPaint, typeStyles } from './draft-text.ts'
import { expandNodes } from './expand-nodes.ts'
import { bottomOf, scrollDraft, type Layout, type Slot } from './layout.ts'
import { evaluateText } from './node-values.ts'
import { buttonLook } from './place-controls.ts'
import { placeColumn } from './place-nodes.ts'
import { textWidth } from './text-width.ts'

const padding = 22
const widest = 340

interface DialogButton {
  readonly id?: string | undefined
  readonly text: string
  readonly style: ButtonStyle
  readonly tap: Touch
}

/** An app's dialog in the middle of the screen. */
export function placeDialog (node: DialogNode, scope: Scope, area: Rect, layout: Layout): Draft {
  const buttons = node.buttons.map(({ id, text, style, tap }): DialogButton =>
    ({ id, text: evaluateText(text, scope), style, tap: { kind: 'answerDialog', actions: tap, scope } }))
  return dialogDraft('dialog', { id: node.id, title: evaluateText(node.title, scope), buttons }, area, layout, (slot) =>
    placeColumn(expandNodes(node.content, scope, 'dialog', layout), slot, 12 * layout.density, layout))
}

/** A dialog of the phone itself. */
export function placeSystemDialog (dialog: SystemDialog, area: Rect, layout: Layout): Draft {
  const { say } = layout
  const close: Touch = { kind: 'closeSystemDialog' }
  if (dialog.kind === 'crash') {
    return dialogDraft('system', {
      id: 'app_stopped',
      title: say('{} has stopped', layout.nameOf(dialog.app)),
      buttons: [{ text: say('Close app'), style: 'plain', tap: close }]
    }, area, layout, () => [])
  }
  if (dialog.kind === 'permission') {
    return dialogDraft('system', {
      id: 'permission',
      title: say('Allow {} to use {}?', layout.nameOf(dialog.app.app), dialog.wish.permission),
      buttons: [
        { id: 'deny', text: say('Don’t allow'), style: 'plain', tap: { kind: 'answerPermission', granted: false } },
        { id: 'allow', text: say('Allow'), style: 'plain', tap: { kind: 'answerPermission', granted: true } }
      ]
    }, area, layout, () => [])
  }
  return dialogDraft('system', {
    id: 'clipboard',
    title: say('Clipboard'),
    buttons: [{ text: say('Cancel'), style: 'plain', tap: close }, { text: say('Paste'), style: 'plain', tap: { kind: 'paste' } }]
  }, area, layout, () => [])
}

/** A short message above the bottom edge; touches go through it. */
export function placeToast (text: string, area: Rect, { density, textDensity }: Layout): Draft {
  const style = { ...typeStyles.body, size: 14.5, lineHeight: 21, color: 'onToast' as const }
  const most = area.width - 64 * density
  const width = Math.min(Math.ceil(textWidth(text, style.size * textDensity, false)) + 40 * density, most)
  const paint = textPaint(text, style, { width: width - 32 * density, density: textDensity }, { align: 'center', mostLines: 4 })
  const height = paint.lines.length * paint.lineHeight + 22 * density
  const rect = { x: area.x + Math.round((area.width - width) / 2), y: area.y + area.height - height - 28 * density, width, height }
  return {
    key: 'toast',
    rect,
    paints: [{ kind: 'surface', color: 'toast', radius: Math.min(height / 2, 24 * density) }],
    facts: facts('text', { text, id: 'toast' }),
    children: [{
      key: 'toast/text',
      rect: { x: rect.x + 16 * density, y: rect.y + 11 * density, width: width - 32 * density, height: height - 22 * density },
      paints: [paint],
      children: []
    }]
  }
}

function dialogDraft (key: string, { id, title, buttons }: {
  readonly id: string
  readonly title: string
  readonly buttons: readonly DialogButton[]
}, area: Rect, layout: Layout, placeContent: (slot: Slot) => readonly Draft[]): Draft {
  const { density, textDensity } = layout
  const width = Math.min(widest * density, area.width - 40 * density)
  const x = area.x + Math.round((area.width - width) / 2)
  const slot = { x: x + padding * density, y: area.y + padding * density, width: width - 2 * padding * density }
  const heading = draftText(title, { ...typeStyles.bar, lineHeight: 27 }, { key: `${key}/title`, density: textDensity, ...slot }, { mostLines: 3 })
  const top = bottomOf([heading], slot.y) + 12 * density
  const content = placeContent({ ...slot, y: top })
  const contentBottom = bottomOf(content, top)
  const buttonRow = 64 * density
  const tallest = area.height - 8 * density
  const bodyHeight = Math.max(Math.min(contentBottom - top, tallest - (top - area.y) - buttonRow), 0)
  const height = top - area.y + bodyHeight + buttonRow
  const body = scrollDraft({
    key: `${key}/body`, rect: { ...slot, y: top, height: bodyHeight }, paints: [], facts: facts('group'), children: content
  }, contentBottom, layout, false)
  const box: Draft = {
    key,
    rect: { x, y: area.y, width, height },
    paints: [{ kind: 'surface', color: 'surface', radius: (layout.platform === 'ios' ? 16 : 26) * density, raised: true }],
    facts: facts('dialog', { id }),
    children: [heading, ...(content.length === 0 ? [] : [body]), ...placeButtons(buttons, key, { ...slot, y: top + bodyHeight + 8 * density }, layout)]
  }
  return moveDraft(box, { x: 0, y: Math.max(Math.round((area.height - height) / 2), 0) })
}

function placeButtons (buttons: readonly DialogButton[], key: string, slot: Slot, layout: Layout): Draft[] {
  const { density, textDensity } = layout
  const width = Math.floor(slot.width / buttons.length)
  return buttons.map(({ id, text, style, tap }, index) => {
    const rect = { x: slot.x + index * width + 3 * density, y: slot.y, width: width - 6 * density, height: 44 * density }
    const look = buttonLook(style, true, layout)
    const boxKey = `${key}/button.${index}`
    return {
      key: boxKey,
      rect,
      paints: style === 'danger' ? [] : look.paints,
      facts: facts('button', { text, clickable: true, ...(id === undefined ? {} : { id }) }),
      tap,
      children: [centeredText(text, { ...typeStyles.button, color: look.color }, `${boxKey}/label`, rect, textDensity)]
    }
  })
}
