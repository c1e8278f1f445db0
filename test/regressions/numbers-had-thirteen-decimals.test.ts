import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

/** More decimals than anybody measures; a version or a place may have some. */
const unrounded = /\d\.\d{5,}/

t.test('no answer of a device tool has an unrounded number, in text or as data', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })

  for (const platform of ['android', 'ios']) {
    const acquired = await wire.call('acquireDevice', { platform })
    const { lease } = acquired.structuredContent
    const calls = [
      ['recordScreen', { action: 'start' }], ['listApps', {}],
      ...['settings', 'shop', 'fieldnotes', 'kitchensink'].flatMap((app) => [
        ['launchApp', { app: `com.example.${app}` }], ['observe', { detail: 'full', includeOffscreen: true }], ['observe', { detail: 'raw' }],
        ['rotate', { orientation: 'landscape', observe: 'full' }], ['swipeOn', { direction: 'down', distance: 0.333, observe: 'full' }],
        ['tapOn', { target: { x: 0.12345678, y: 0.7654321, unit: 'ratio' } }], ['captureScreenshot', { maxWidth: 77 }], ['rotate', { orientation: 'portrait', observe: 'none' }]
      ]),
      ['tapOn', { target: { x: 100.123456789, y: 200.987654321 } }], ['swipeOn', { from: { x: 10.123456789, y: 20.2 }, to: { x: 300.987654321, y: 400 } }],
      ['waitFor', { for: { text: 'nothing' }, timeoutMs: 51, pollMs: 50 }], ['waitFor', { for: { text: 'nothing' }, state: 'gone' }],
      ['recordScreen', { action: 'stop' }], ['getFiles', {}], ['getDeviceState', {}], ['listDevices', {}], ['renewLease', {}], ['resetDevice', { confirm: true }]
    ] as const
    t.notMatch(JSON.stringify(acquired), unrounded)
    for (const [name, args] of [...calls, ['releaseDevice', {}] as const]) {
      const { text } = await wire.modern('tools/call', { name, arguments: { lease, ...(args as object) } })
      // A picture in base64 has no dots.
      t.notMatch(text, unrounded, `${String(name)} ${JSON.stringify(args)}`)
    }
  }
})
