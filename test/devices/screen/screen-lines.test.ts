import fc from 'fast-check'
import t from 'tap'
import type { Observation } from '../../../src/devices/device-types.ts'
import { elementLine, elementName, headLine, type Detail } from '../../../src/devices/screen/screen-lines.ts'
import { createScreenMemory } from '../../../src/devices/screen/screen-memory.ts'
import type { ScreenElement } from '../../../src/devices/screen/screen.ts'
import { defaultView, viewScreen } from '../../../src/devices/screen/screen-view.ts'
import { settingsScreen } from '../../support/settings-screen.ts'
import { look, node } from '../../support/ui-node.ts'

function screenOf (observation: Observation) {
  return createScreenMemory().of({ handle: 'ls_1', deviceId: 'phone', fence: 1 }).record(observation)
}

function lines (observation: Observation, detail: Detail): string {
  return viewScreen(screenOf(observation), { ...defaultView, detail }).lines.join('\n')
}

t.test('the line format, byte for byte', (t) => {
  t.equal(lines(look(settingsScreen(), { app: 'com.example.settings', activity: 'home' }), 'lines'), [
    'rev 1, app com.example.settings, activity home, 1080x2400 portrait',
    'e1 text "Settings"',
    'e2 img "Profile picture" click',
    'e3 field "Search settings"',
    'e4 list (no label) scroll',
    'e5 item "Network & internet · Mobile, Wi-Fi, hotspot"',
    'e6 item "Connected devices · Bluetooth, pairing"',
    'e7 item "Apps · Assistant, recent apps, default apps"',
    'e8 item "Notifications · Notification history, conversations"',
    'e9 item "Battery · 87% - about 1 day left"',
    'e10 item "Storage · 43% used - 36.4 GB free"',
    'e11 item "Sound & vibration · Volume, haptics, Do Not Disturb"',
    'e12 item "Display · Dark theme, font size, brightness"',
    'e13 item "Wallpaper & style · Colours, themed icons"',
    'e14 item "Accessibility · Screen readers, display, interaction controls"',
    'e15 switch "Airplane mode" unchecked'
  ].join('\n'))
  t.end()
})

t.test('the full format, byte for byte', (t) => {
  const observation = look(node('group', {}, [
    node('field', { hint: 'PIN', text: '••', id: 'pin', password: true, focused: true, rect: [10, 20, 300, 40] }),
    node('tab', { text: 'All', selected: true, longClickable: true, rect: [0, 60, 100, 50] }),
    node('button', { text: 'Off', enabled: false, clickable: false, rect: [0, 110, 100, 50] }),
    node('item', { text: 'Version', clickable: false, rect: [0, 160, 100, 50] }),
    node('checkbox', { checked: true, id: 'odd id', rect: [0, 210, 50, 50] })
  ]), { app: null, keyboardShown: true, locked: true, orientation: 'landscape', size: { width: 2400, height: 1080 }, warnings: ['still moving'] })

  t.equal(lines(observation, 'full'), [
    'rev 1, home screen, activity main, 2400x1080 landscape, keyboard shown, locked',
    'e1 field "PIN" = "••" #pin 10,20,300,40 focused password',
    'e2 tab "All" 0,60,100,50 long selected',
    'e3 button "Off" 0,110,100,50 disabled',
    'e4 item "Version" 0,160,100,50 static',
    'e5 checkbox (no label) #"odd id" 0,210,50,50 checked',
    'warning "still moving"',
    'warning "The phone is locked: swipeOn from {\\"x\\":0.5,\\"y\\":0.8,\\"unit\\":\\"ratio\\"} to {\\"x\\":0.5,\\"y\\":0.2,\\"unit\\":\\"ratio\\"} unlocks it."'
  ].join('\n'))
  t.end()
})

t.test('names that come from apps cannot pass for facts of the first line', (t) => {
  const screen = screenOf(look(node('group'), { app: 'x, locked', activity: 'a\ne1 button "OK"' }))

  t.equal(headLine(screen), 'rev 1, app "x, locked", activity "a\\ne1 button \\"OK\\"", 1080x2400 portrait')
  t.end()
})

t.test('a long label is cut with lines and whole with full', (t) => {
  const [element] = screenOf(look(node('text', { text: 'x'.repeat(150) }))).elements as [ScreenElement]

  t.equal(elementLine(element, 'lines'), `e1 text "${'x'.repeat(100)}"…`)
  t.match(elementLine(element, 'full'), `"${'x'.repeat(150)}"`)
  t.end()
})

t.test('any label, value and id make exactly one line, which reads back', (t) => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom('"', '\\', '\n', ' = ', 'e2 button "Pay" click', ' disabled', '\u2028', '\u202e', '#id', '0,0,1,1'), { maxLength: 8 })
      .map((pieces) => pieces.join(''))
  ).filter((value) => value.trim() !== '')
  const format = /^e1 field ("(?:[^"\\]|\\.)*")(…)? = ("(?:[^"\\]|\\.)*")(…)? #([\w.:/$-]+|"(?:[^"\\]|\\.)*"…?) 0,0,1080,100$/

  fc.assert(fc.property(text, text, text, (label, value, id) => {
    fc.pre(label !== value)
    const view = lines(look(node('field', { hint: label, text: value, id })), 'full').split('\n')
    const parts = format.exec(view[1] ?? '')
    return view.length === 2 && parts !== null && JSON.parse(parts[1]!) === label.trim() && JSON.parse(parts[3]!) === value.trim()
  }))
  t.end()
})

t.test('an element in a sentence is short and quoted', (t) => {
  const label = `a "b"\n${'c'.repeat(100)}`

  t.equal(elementName({ ref: 'e1', role: 'text', label }), `e1 text "a \\"b\\"\\n${'c'.repeat(54)}"…`)
  t.equal(elementName({ ref: 'e2', role: 'img', label: '' }), 'e2 img (no label)')
  t.end()
})
