import t from 'tap'
import type { TokenOrigin } from '../../src/auth/token-origin.ts'
import { banner, endpointUrl } from '../../src/cli/banner.ts'
import type { PooledDevice } from '../../src/leases/contract/lease-manager.ts'

function device (id: string, { platform = 'android' as 'android' | 'ios', osVersion = '15' } = {}): PooledDevice {
  return {
    description: { id, name: id, platform, kind: 'virtual', model: 'Phone', osVersion, labels: [] },
    state: 'free',
    reason: undefined,
    holds: [],
    failures: 0,
    lease: undefined
  }
}

function show ({ devices = [device('android-1')], tokenFile = '/home/u/.local/state/mooring/token', origin = 'new' as TokenOrigin, platform = 'linux' as NodeJS.Platform } = {}) {
  return banner({ version: '1.2.3', url: 'http://127.0.0.1:8484/mcp', token: { origin, file: tokenFile }, devices, platform })
}

t.test('says what runs, where, and how to stop it', async (t) => {
  const text = show()

  t.match(text, /^mooring 1\.2\.3 is ready at http:\/\/127\.0\.0\.1:8484\/mcp\n/)
  t.match(text, /token file {2}\/home\/u\/\.local\/state\/mooring\/token/)
  t.match(text, /Stop with Ctrl-C\.\n$/)
  t.ok(text.split('\n').length < 30, 'fits on a screen')
})

t.test('the settings for a client can be pasted as they are', async (t) => {
  const [json = ''] = /^\{\n[^]*?^\}\n/m.exec(show()) ?? []

  t.strictSame(JSON.parse(json), {
    mcpServers: {
      mooring: {
        type: 'http',
        url: 'http://127.0.0.1:8484/mcp',
        headers: { Authorization: 'Bearer $' + '{MOORING_TOKEN}' }
      }
    }
  })
})

t.test('the token is read from its file by the shell, whatever the path is called', async (t) => {
  t.match(show(), '  export MOORING_TOKEN="$(cat /home/u/.local/state/mooring/token)"\n')
  t.match(show({ tokenFile: "/it's here/to$ken" }), '  export MOORING_TOKEN="$(cat \'/it\'\\\'\'s here/to$ken\')"\n')
  t.match(show({ tokenFile: "C:\\it's here\\token", platform: 'win32' }), "  $env:MOORING_TOKEN = (Get-Content 'C:\\it''s here\\token').Trim()\n")
})

t.test('says where the token comes from, and what a client needs', async (t) => {
  t.match(show(), /token file {2}\S+ \(new at every start\)/)
  t.match(show({ origin: 'keep' }), /token file {2}\S+ \(kept over restarts\)[^]*export MOORING_TOKEN=/)
  t.match(show({ origin: 'file' }), /token file {2}\S+ \(yours, read at the start\)[^]*export MOORING_TOKEN=/)
  const given = show({ origin: 'variable' })
  t.match(given, /\n {2}token {7}the one in MOORING_TOKEN\n/)
  t.notMatch(given, /export|\/token/)
})

t.test('names a few devices and counts them all', async (t) => {
  t.match(show({ devices: [] }), /devices {5}none\n/)
  t.match(show({ devices: [device('android-1'), device('ios-1', { platform: 'ios', osVersion: '18.2' })] }),
    'devices     2: android-1 (virtual, Android 15), ios-1 (virtual, iOS 18.2)\n')
  t.match(show({ devices: Array.from({ length: 9 }, (_, index) => device(`a-${index}`)) }), /devices {5}9: a-0 .*, a-3 \(virtual, Android 15\) and 5 more\n/)
})

t.test('the address is one that clients can use', async (t) => {
  const allowedHosts = ['phones.example', 'other.example']
  const urls = {
    localhost: 'http://localhost:8484/mcp',
    '127.0.0.1': 'http://127.0.0.1:8484/mcp',
    '::1': 'http://[::1]:8484/mcp',
    '0.0.0.0': 'http://127.0.0.1:8484/mcp',
    '::': 'http://[::1]:8484/mcp',
    '192.168.1.5': 'http://phones.example:8484/mcp'
  }

  for (const [host, url] of Object.entries(urls)) t.equal(endpointUrl({ host, port: 8484, allowedHosts }), url)
  t.equal(endpointUrl({ host: '192.168.1.5', port: 1, allowedHosts: ['2001:db8::1'] }), 'http://[2001:db8::1]:1/mcp')
})
