import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { spawnGateway, startGatewayProcess } from '../support/gateway-process.ts'

async function stateDirectory (t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-process-'))
  t.teardown(async () => await rm(folder, { recursive: true, force: true }))
  return folder
}

t.test('killed in the middle of a call, it comes back: the lease has ended with a reason, the phone is free, what was sealed still opens', async (t) => {
  const stateDir = await stateDirectory(t)
  const before = await startGatewayProcess(t, { stateDir })
  const leases = await Promise.all([before.wire.call('acquireDevice'), before.wire.call('acquireDevice')])
  const [first, second] = leases.map(({ structuredContent }) => structuredContent)
  const reset = { name: 'resetDevice', arguments: { lease: first.lease }, _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } }
  const { requestState } = (await before.wire.modern('tools/call', reset)).json().result
  const waiting = before.wire.call('waitFor', { lease: first.lease, for: { text: 'never there' }, timeoutMs: 60_000 }).catch(() => 'gone')
  await before.wire.call('observe', { lease: first.lease })

  before.child.kill('SIGKILL')
  t.equal(await waiting, 'gone')
  await before.exited
  const after = await startGatewayProcess(t, { stateDir })

  t.not(after.token, before.token, 'a token is for one run')
  for (const { lease } of [first, second]) {
    const refused = await after.wire.call('observe', { lease })
    t.match(refused, { isError: true, structuredContent: { code: 'lease_ended', reason: 'device_restarted', retryable: false, nextAction: String } })
  }
  t.match((await after.wire.modern('tools/call', { ...reset, requestState })).json().result, { structuredContent: { code: 'lease_ended' } })
  t.match((await after.wire.modern('tools/call', { ...reset, requestState: `${requestState}A` })).json().error, { code: -32602 }, 'MRTR-06')
  t.match(await after.wire.call('listDevices'), { structuredContent: { devices: [{ state: 'free' }, { state: 'free' }] } })
  const again = (await after.wire.call('acquireDevice', { device: first.device.id })).structuredContent
  t.ok(again.fence > first.fence, 'the fence only rises, across the crash too')

  after.child.kill('SIGTERM')
  t.equal(await after.exited, 0)
})

t.test('killed between grant and restart at any time, no phone ever has two holders', async (t) => {
  const stateDir = await stateDirectory(t)
  const seen = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const { wire, child, exited } = await startGatewayProcess(t, { stateDir })
    const acquired = Array.from({ length: 6 }, async () => await wire.call('acquireDevice').catch(() => undefined))
    if (round % 2 === 0) await Promise.race(acquired)
    else await Promise.all(acquired)
    child.kill('SIGKILL')
    await exited
    const granted = (await Promise.all(acquired)).flatMap((result) => result?.isError === true || result === undefined ? [] : [result.structuredContent])
    t.ok(granted.length <= 2, 'two phones, at most two holders')
    t.equal(new Set(granted.map(({ device }) => device.id)).size, granted.length)
    for (const { lease } of granted) {
      t.notOk(seen.has(lease))
      seen.add(lease)
    }
  }
  const { wire } = await startGatewayProcess(t, { stateDir })
  for (const lease of seen) t.match(await wire.call('renewLease', { lease }), { isError: true, structuredContent: { code: 'lease_ended' } })
})

t.test('sealing keys that are none keep the server from starting, and say why', async (t) => {
  const stateDir = await stateDirectory(t)
  await writeFile(join(stateDir, 'sealing-key'), 'nonsense', { mode: 0o600 })

  const { exited, shown } = spawnGateway(t, ['--port', '0', '--state-dir', stateDir], stateDir)

  t.equal(await exited, 1)
  t.match(shown.stderr, /sealing key file .*not a key/)
})

t.test('a clean stop takes the token away and leaves the database and the sealing keys', async (t) => {
  const stateDir = await stateDirectory(t)
  const { child, exited, shown } = await startGatewayProcess(t, { stateDir })
  for (const file of ['token', 'sealing-key']) t.equal((await stat(join(stateDir, file))).mode & 0o777, 0o600, file)

  child.kill('SIGTERM')

  t.equal(await exited, 0)
  await t.rejects(stat(join(stateDir, 'token')), { code: 'ENOENT' })
  for (const file of ['mooring.sqlite', 'sealing-key']) t.ok((await stat(join(stateDir, file))).isFile(), file)
  t.notMatch(shown.stdout, /undefined|\[object/)
})

t.test('a token file that another server has published since is left alone', async (t) => {
  const stateDir = await stateDirectory(t)
  const { child, exited } = await startGatewayProcess(t, { stateDir })
  await writeFile(join(stateDir, 'token'), 'somebody-elses')

  child.kill('SIGTERM')

  t.equal(await exited, 0)
  t.equal(await readFile(join(stateDir, 'token'), 'utf8'), 'somebody-elses')
})

t.test('a taken port is an error that names the port and the flag, and touches nothing', async (t) => {
  const stateDir = await stateDirectory(t)
  const other = createServer()
  other.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }

  const { exited, shown } = spawnGateway(t, ['--port', String(port), '--state-dir', join(stateDir, 'state')], stateDir)

  t.equal(await exited, 1)
  t.match(shown.stderr, new RegExp(`${port}[^]*--port`))
  t.equal(shown.stdout, '')
  await t.rejects(stat(join(stateDir, 'state')), { code: 'ENOENT' })
})

t.test('a second server on the same state directory is refused, and the first goes on', async (t) => {
  const stateDir = await stateDirectory(t)
  const first = await startGatewayProcess(t, { stateDir })

  const { exited, shown } = spawnGateway(t, ['--port', '0', '--state-dir', stateDir], stateDir)

  t.equal(await exited, 1)
  t.match(shown.stderr, /--state-dir/)
  t.equal((await readFile(join(stateDir, 'token'), 'utf8')).trim(), first.token)
  t.equal((await first.wire.modern('server/discover')).status, 200)
})
