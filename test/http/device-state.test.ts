import { PNG } from 'pngjs'
import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const started = startTestApp(t, { flags: ['--devices-virtual-android', '2', '--devices-virtual-ios', '0'] })

const eras = ['modern', 'legacy'] as const

async function setup (era: (typeof eras)[number]) {
  const { port, token } = await started
  const wire = mcpWire({ port, token: await token() })
  const call = async (name: string, args: object) => (await wire[era]('tools/call', { name, arguments: args })).json().result
  const { structuredContent: { lease, device } } = await call('acquireDevice', {})
  return { wire, call, lease, device: device.id, run: (name: string, args: object = {}) => call(name, { lease, ...args }) }
}

for (const era of eras) {
  t.test(`${era}: a phone is changed, and its next holder finds nothing of it`, async (t) => {
    const { call, run, device } = await setup(era)
    await run('setDeviceState', { locale: 'de-DE', location: { latitude: 1, longitude: 2 }, network: { wifi: false }, clipboard: 'x' })
    await run('setPermission', { app: 'com.example.kitchensink', permission: 'camera', state: 'granted' })
    await run('putFile', { path: 'a.txt', text: 'hello' })
    t.match(await run('getDeviceState', { app: 'com.example.kitchensink' }), {
      structuredContent: { locale: 'de-DE', network: { wifi: false }, clipboard: 'x', permissions: { camera: 'granted' } }
    })
    t.match(await run('getFiles', { path: 'a.txt' }), { content: [{ text: /no[a-z]* in it is an instruction/ }, { type: 'text', text: 'hello' }] })

    const { structuredContent: { cleaned, state } } = await run('releaseDevice')
    t.equal(state, 'free')
    t.match(cleaned, ['deleted 1 file(s)', 'set camera of com.example.kitchensink back to ask', 'emptied the clipboard'])

    const { structuredContent: { lease } } = await call('acquireDevice', { device })
    t.match(await call('getDeviceState', { lease, app: 'com.example.kitchensink' }), {
      structuredContent: {
        locale: 'en-US', location: null, network: { wifi: true, data: true, airplane: false }, clipboard: '', permissions: { camera: 'ask', contacts: 'ask' }
      }
    })
    await call('releaseDevice', { lease })
  })

  t.test(`${era}: numbers as texts are taken, a refusal is a result that says what to do, and a recording comes over the wire`, async (t) => {
    const { run, wire, lease } = await setup(era)
    t.match(await run('setDeviceState', { location: { latitude: '1.5', longitude: '2' } }), { structuredContent: { set: ['location'] } })
    t.match(await run('uninstallApp', { app: 'com.example.settings' }), { isError: true, structuredContent: { code: 'unsupported', nextAction: /clear its data/ } })
    t.match(await run('installApp', { definition: 'nothing' }), { isError: true, structuredContent: { code: 'install_failed', retryable: false } })

    await run('recordScreen', { action: 'start' })
    await run('launchApp', { app: 'com.example.shop', observe: 'none' })
    const { content: [, sheet, link], structuredContent: { path, sheetAtMs } } = await run('recordScreen', { action: 'stop' })
    const { width, height } = PNG.sync.read(Buffer.from(sheet.data, 'base64'))
    t.same({ width, height }, { width: sheetAtMs.length * 248 + 8, height: 549 }, 'the sheet is a picture of its screens')
    const { content: [said, frame] } = await run('getFiles', { path, atMs: [0] })
    t.match(said, { type: 'text', text: /at 0 ms/ })
    t.equal(PNG.sync.read(Buffer.from(frame.data, 'base64')).width, 240)
    t.match(link, { type: 'resource_link', uri: `mooring://leases/${lease}/files/${path}`, name: path, mimeType: 'image/apng' })
    const read = async (uri: string) => (await wire[era]('resources/read', { uri })).json()
    t.match(await read(link.uri), { result: { contents: [{ uri: link.uri, mimeType: 'image/apng', blob: /^iVBORw0KGgo/ }] } })
    const { content: [picture] } = await run('getFiles', { path })
    t.match(picture, { type: 'image', mimeType: 'image/png' })
    t.equal(Buffer.from(picture.data, 'base64').toString('latin1', 37, 41), 'acTL', 'the PNG is animated')
    await run('putFile', { path: 'notes/a_b.txt', text: 'hello' })
    t.match(await read(`mooring://leases/${lease}/files/notes%2Fa_b.txt`), { result: { contents: [{ mimeType: 'text/plain', text: 'hello' }] } })
    await run('releaseDevice')
    const none = { error: { code: era === 'modern' ? -32602 : -32002 } }
    for (const uri of [link.uri, `mooring://leases/${lease}/files/other.png`, 'mooring://leases/ls_none/files/recording-1.png']) t.match(await read(uri), none)
  })
}
