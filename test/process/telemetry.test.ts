import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'

t.test('a collector that never answers does not keep a stopping process', async (t) => {
  const receiver = await startOtlpReceiver(t, () => undefined)
  const stateDir = await mkdtemp(join(tmpdir(), 'mooring-process-'))
  t.teardown(async () => await rm(stateDir, { recursive: true, force: true }))
  const { wire, child, exited, shown } = await startGatewayProcess(t, { stateDir, flags: ['--telemetry-endpoint', receiver.endpoint, '--shutdown-ms', '10000'] })
  await wire.call('acquireDevice')

  child.kill('SIGTERM')

  t.equal(await exited, 0)
  t.equal(receiver.posts.length, 2)
  t.match(shown.stderr, /telemetry could not be delivered/)
})
