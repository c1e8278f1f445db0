import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Parameters<typeof startTestApp>[0], level: string) {
  const { app, port, token, log } = await startTestApp(t, { flags: ['--log-level', level] })
  const wire = mcpWire({ port, token: await token() })

  async function requestLines (): Promise<any[]> {
    await app.admission.idle()
    return log().split('\n').filter((line) => line.includes('"request ')).map((line) => JSON.parse(line))
  }
  return { wire, requestLines }
}

t.test('at debug, every answered request has one line, a list too', async (t) => {
  const { wire, requestLines } = await setup(t, 'debug')
  await wire.modern('tools/list')
  await wire.legacy('tools/call', { name: 'listDevices', arguments: {} })

  t.match(await requestLines(), [
    { msg: 'request answered', method: 'POST', path: '/mcp', status: 200, rpc: 'tools/list', version: '2026-07-28', durationMs: Number },
    { msg: 'request answered', method: 'POST', path: '/mcp', status: 200, rpc: 'tools/call', version: '2025-11-25', durationMs: Number }
  ])
})

t.test('at info, only a refused request has one', async (t) => {
  const { wire, requestLines } = await setup(t, 'info')
  await wire.modern('tools/list')
  await wire.post('nope')

  const lines = await requestLines()
  t.match(lines, [{ msg: 'request refused', status: 400, path: '/mcp' }])
  t.equal(lines.length, 1)
})
