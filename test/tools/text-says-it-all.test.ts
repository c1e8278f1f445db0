import t from 'tap'
import { startPoolApp } from '../support/start-pool-app.ts'

/**
 * What the words of a result say in another way than its data: `mine` for `true`, `the screen did
 * not change` for `changed: false`, the lines of a screen for what is not on it.
 */
const saidInOtherWords = new Set([
  'mine', 'name', 'state', 'changed', 'found', 'recording', 'complete', 'keyboard', 'locked', 'app', 'system', 'running', 'location', 'wifi', 'data', 'airplane',
  'released', 'alreadyReleased', 'mimeType', 'bytes', 'lease',
  // Which point of the element was touched; the text names the element.
  'point'
])

/** Members whose values are not in the text. */
function unsaid (data: unknown, text: string, name = ''): readonly string[] {
  if (Array.isArray(data)) return data.flatMap((item) => unsaid(item, text, name))
  if (typeof data === 'object' && data !== null) return Object.entries(data).flatMap(([member, value]) => unsaid(value, text, member))
  return saidInOtherWords.has(name) || text.includes(String(data)) ? [] : [`${name}: ${String(data)}`]
}

t.test('CALL-04: a client that reads only the text of a result learns what its data say', async (t) => {
  const pool = await startPoolApp(t, { phones: 2 })
  const { structuredContent: { lease } } = await pool.call('acquireDevice', { purpose: 'reading' })
  const app = 'com.example.fieldnotes'
  await pool.call('launchApp', { lease, app })
  const { structuredContent: { elements } } = await pool.call('observe', { lease, detail: 'full' })
  const button = elements.find((element: { role: string }) => element.role === 'button')
  t.type(button?.ref, 'string')

  for (const [name, args] of Object.entries({
    listDevices: {},
    acquireDevice: { waitMs: 0 },
    renewLease: { lease },
    listLeases: {},
    observe: { lease },
    listApps: { lease },
    captureScreenshot: { lease },
    tapOn: { lease, target: { ref: button.ref } },
    waitFor: { lease, for: { role: 'button', index: 0 }, timeoutMs: 500 },
    pressButton: { lease, button: 'back' },
    swipeOn: { lease, direction: 'up' },
    rotate: { lease, orientation: 'landscape' },
    getDeviceState: { lease },
    setDeviceState: { lease, clipboard: 'x' },
    putFile: { lease, path: 'a.txt', text: 'abc' },
    getFiles: { lease },
    recordScreen: { lease, action: 'start' },
    terminateApp: { lease, app },
    clearAppData: { lease, app },
    resetDevice: { lease, confirm: true },
    releaseDevice: { lease }
  })) {
    const { isError, content, structuredContent } = await pool.call(name, args)
    const text = content.map((block: { text?: string }) => block.text ?? '').join('\n')
    t.notOk(isError, `${name}: ${text.slice(0, 200)}`)
    t.strictSame(unsaid(structuredContent, text), [], name)
  }
})
