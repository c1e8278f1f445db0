import t from 'tap'
import { parseEvents } from '../fuzz/event-parser.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const logLevel = 'io.modelcontextprotocol/logLevel'

t.test('LOG-01, CAP-04: a modern caller that states a level reads along what any tool does on a phone', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const logged = async (name: string, args: object, level: string): Promise<any[]> => {
    const reply = await wire.modern('tools/call', { name, arguments: args, _meta: { [logLevel]: level } })
    return parseEvents(Buffer.from(reply.text)).map((event) => JSON.parse(event)).filter(({ method }) => method === 'notifications/message').map(({ params }) => params)
  }

  t.match(await logged('tapOn', { lease, target: { text: 'Shop' } }, 'debug'), [
    { level: 'debug', data: { event: 'phoneTaken', device: 'virtual-android-1' } },
    { level: 'debug', data: { event: 'looked', rev: Number, elements: Number } },
    { level: 'debug', data: { event: 'looked' } },
    { level: 'info', data: { event: 'phoneUsed', device: 'virtual-android-1', durationMs: Number } }
  ])
  t.match(await logged('observe', { lease }, 'info'), [{ level: 'info', data: { event: 'phoneUsed' } }])
  t.match(await logged('tapOn', { lease, target: { text: 'Nowhere' } }, 'warning'), [{ level: 'warning', data: { event: 'phoneUseFailed', code: 'no_match' } }])
  const typed = JSON.stringify(await logged('setDeviceState', { lease, clipboard: 'very secret' }, 'debug'))
  t.notMatch(typed, /very secret/, 'LOG-03')
  t.notMatch(typed, lease, 'LOG-03')
  t.same(await logged('observe', { lease }, 'emergency'), [])
})

t.test('LEGACY-09: the log says once that a subscription of an old client delivers nothing', async (t) => {
  const { port, token, log } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })

  for (let count = 0; count < 3; count++) t.same((await wire.legacy('resources/subscribe', { uri: 'mooring://devices' })).json().result, {})

  t.equal(log().split('will not hear of its changes').length - 1, 1)
})
