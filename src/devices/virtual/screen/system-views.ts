import type { Rect } from '../../device-types.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import { facts, type Draft } from './box.ts'
import { centeredText, draftText, typeStyles } from './draft-text.ts'
import { bottomOf, scrollDraft, type Layout } from './layout.ts'

const cell = { width: 88, height: 104, icon: 60 }

/** The home screen: a clock and the installed apps. */
export function placeHome (apps: readonly AppDefinition[], area: Rect, layout: Layout): Draft[] {
  const { density } = layout
  const clockHeight = (area.height > area.width ? 150 : 64) * density
  const clock: Draft = {
    key: 'home/clock',
    rect: { ...area, height: clockHeight },
    paints: [{ kind: 'clock', size: (area.height > area.width ? 64 : 40) * density }],
    children: []
  }
  const columns = Math.max(1, Math.floor((area.width - 8 * density) / (cell.width * density)))
  const cellWidth = Math.floor((area.width - 8 * density) / columns)
  const icons = apps.map((app, index) => placeIcon(app, `home.${index}`, {
    x: area.x + 4 * density + (index % columns) * cellWidth,
    y: area.y + clockHeight + Math.floor(index / columns) * cell.height * density,
    width: cellWidth,
    height: cell.height * density
  }, layout))
  const grid = { key: 'home', rect: area, paints: [], facts: facts('list', { description: layout.say('Home') }), children: [clock, ...icons] }
  return [scrollDraft(grid, bottomOf(icons, area.y), layout, false)]
}

/** The apps that run, to switch between them. */
export function placeRecents (apps: readonly AppDefinition[], area: Rect, layout: Layout): Draft[] {
  const { density, say } = layout
  const slot = { x: area.x + 24 * density, width: area.width - 48 * density, density }
  const title = draftText(say(apps.length === 0 ? 'No recent apps' : 'Recent apps'), { ...typeStyles.title, color: 'onWallpaper' }, {
    key: 'recents/title', y: area.y + 16 * density, ...slot
  })
  let y = bottomOf([title], area.y) + 16 * density
  const cards = apps.map((app, index): Draft => {
    const rect = { x: slot.x, y, width: slot.width, height: 72 * density }
    y += rect.height + 12 * density
    return {
      key: `recents.${index}`,
      rect,
      paints: [{ kind: 'surface', color: 'surface', radius: 18 * density, raised: true }],
      facts: facts('item', { clickable: true }),
      tap: { kind: 'openApp', app: app.id },
      children: [
        appIcon(app, `recents.${index}/icon`, { x: rect.x + 14 * density, y: rect.y + 14 * density, width: 44 * density, height: 44 * density }),
        draftText(layout.nameOf(app), { ...typeStyles.itemTitle, bold: true }, {
          key: `recents.${index}/name`, x: rect.x + 74 * density, y: rect.y + 24 * density, width: rect.width - 90 * density, density
        }, { mostLines: 1 })
      ]
    }
  })
  const clear: Draft[] = apps.length === 0 ? [] : [clearButton({ x: slot.x, y, width: slot.width, height: 48 * density }, layout)]
  const list = { key: 'recents', rect: area, paints: [], facts: facts('list', { description: say('Recent apps') }), children: [title, ...cards, ...clear] }
  return [scrollDraft(list, y + 60 * density, layout, false)]
}

/** What a locked phone shows. */
export function placeLock (area: Rect, { density, say }: Layout): Draft[] {
  const clock: Draft = {
    key: 'lock/clock',
    rect: { ...area, height: Math.round(area.height * 0.4) },
    paints: [{ kind: 'clock', size: 76 * density }],
    children: []
  }
  const hint = draftText(say('Swipe up to unlock'), { ...typeStyles.body, color: 'onWallpaper' }, {
    key: 'lock/hint', x: area.x, y: area.y + area.height - 72 * density, width: area.width, density
  }, { align: 'center' })
  return [{ key: 'lock', rect: area, paints: [], facts: facts('group', { description: say('Lock screen') }), children: [clock, hint] }]
}

function clearButton (rect: Rect, { density, say }: Layout): Draft {
  return {
    key: 'recents/clear',
    rect,
    paints: [{ kind: 'surface', color: 'accent', radius: 24 * density }],
    facts: facts('button', { text: say('Clear all'), clickable: true }),
    tap: { kind: 'stopAllApps' },
    children: [centeredText(say('Clear all'), typeStyles.button, 'recents/clear/label', rect, density)]
  }
}

function placeIcon (app: AppDefinition, key: string, rect: Rect, { density, nameOf }: Layout): Draft {
  const size = cell.icon * density
  return {
    key,
    rect,
    paints: [],
    facts: facts('item', { clickable: true }),
    tap: { kind: 'openApp', app: app.id },
    children: [
      appIcon(app, `${key}/icon`, { x: rect.x + Math.round((rect.width - size) / 2), y: rect.y + 8 * density, width: size, height: size }),
      draftText(nameOf(app), { ...typeStyles.label, color: 'onWallpaper', bold: true }, {
        key: `${key}/name`, x: rect.x, y: rect.y + size + 14 * density, width: rect.width, density
      }, { align: 'center', mostLines: 1 })
    ]
  }
}

function appIcon (app: AppDefinition, key: string, rect: Rect): Draft {
  return {
    key,
    rect,
    paints: [
      { kind: 'surface', color: app.color, radius: Math.round(rect.width * 0.28) },
      { kind: 'glyph', glyph: app.icon, size: rect.width * 0.52, color: '#ffffff' }
    ],
    facts: facts('img'),
    children: []
  }
}
