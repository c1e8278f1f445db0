/**
 * A process whose files may not grow any more: the limit of the operating system on the size of
 * files is what a full disk is to one file, and needs neither rights nor a disk.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'

async function scratchFolder (t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-process-'))
  t.teardown(async () => await rm(folder, { recursive: true, force: true }))
  return folder
}

async function get ({ port, token }: GatewayProcess, path: string) {
  return await exchange({ port, method: 'GET', path, headers: { authorization: `Bearer ${token}` } })
}

t.test('a gateway goes on with a full disk, says so, and has lost nothing of what it acknowledged when it is killed', async (t) => {
  const stateDir = await scratchFolder(t)
  const full = await startGatewayProcess(t, { stateDir, largestFileBytes: 512 * 1024 })
  const { structuredContent: { lease } } = await full.wire.call('acquireDevice', {})
  t.equal((await get(full, '/readyz')).status, 200)

  const ended: string[] = []
  let refusal: unknown
  for (let tries = 0; tries < 2_000 && refusal === undefined; tries++) {
    const other = await full.wire.call('acquireDevice', {})
    if (other.isError === true) refusal = other
    else {
      const released = await full.wire.call('releaseDevice', { lease: other.structuredContent.lease })
      if (released.isError === true) refusal = released
      else ended.push(other.structuredContent.lease)
    }
  }

  t.match(refusal, { structuredContent: { code: 'store_not_writable', retryable: true } })
  t.not((await full.wire.call('observe', { lease })).isError, true, 'looking still works')
  t.match(await get(full, '/readyz'), { status: 503, headers: { 'retry-after': '5' } })
  t.match((await get(full, '/status')).json(), { store: { answering: true, writable: false } })

  full.child.kill('SIGKILL')
  await full.exited
  const next = await startGatewayProcess(t, { stateDir })
  t.equal((await get(next, '/readyz')).status, 200)
  t.match((await get(next, '/status')).json(), { store: { answering: true, writable: true } })
  t.match(await next.wire.call('releaseDevice', { lease: ended.at(-1) }), { structuredContent: { alreadyReleased: true } }, 'what was released is released')
})
