import type { UiNode } from '../../src/devices/device-types.ts'
import { node } from './ui-node.ts'

const rows = [
  ['Network & internet', 'Mobile, Wi-Fi, hotspot'],
  ['Connected devices', 'Bluetooth, pairing'],
  ['Apps', 'Assistant, recent apps, default apps'],
  ['Notifications', 'Notification history, conversations'],
  ['Battery', '87% - about 1 day left'],
  ['Storage', '43% used - 36.4 GB free'],
  ['Sound & vibration', 'Volume, haptics, Do Not Disturb'],
  ['Display', 'Dark theme, font size, brightness'],
  ['Wallpaper & style', 'Colours, themed icons'],
  ['Accessibility', 'Screen readers, display, interaction controls']
] as const

/** A settings screen as Android reports one: 60 nodes, most of them layout. */
export function settingsScreen (): UiNode {
  return node('group', { rect: [0, 0, 1080, 2400] }, [
    node('group', { rect: [0, 0, 1080, 2400] }, [
      node('group', { rect: [0, 63, 1080, 300] }, [
        node('text', { text: 'Settings', id: 'title', rect: [63, 120, 400, 80] }),
        node('img', { description: 'Profile picture', id: 'avatar', clickable: true, rect: [950, 110, 100, 100] })
      ]),
      node('field', { hint: 'Search settings', id: 'search_bar', rect: [42, 240, 996, 110] }),
      node('list', { id: 'recycler_view', scrollable: true, rect: [0, 370, 1080, 2030] }, [
        ...rows.map(([title, summary], index) => node('item', { rect: [0, 370 + index * 190, 1080, 190] }, [
          node('group', { rect: [0, 370 + index * 190, 180, 190] }, [node('img', { id: 'icon', rect: [60, 420 + index * 190, 72, 72] })]),
          node('text', { text: title, id: 'title', rect: [180, 400 + index * 190, 800, 60] }),
          node('text', { text: summary, id: 'summary', rect: [180, 460 + index * 190, 800, 50] })
        ])),
        node('item', { rect: [0, 2270, 1080, 130] }, [
          node('text', { text: 'Airplane mode', id: 'title', rect: [180, 2300, 600, 60] }),
          node('switch', { id: 'switch_widget', clickable: false, checked: false, rect: [900, 2300, 130, 60] })
        ])
      ])
    ])
  ])
}

/** How many nodes a tree has. */
export function countNodes (tree: UiNode): number {
  return tree.children.reduce((sum, child) => sum + countNodes(child), 1)
}
