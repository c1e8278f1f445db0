import t from 'tap'
import { createScreenResource } from '../../src/tools/screen-resource.ts'
import { alice, bob, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

async function setup () {
  const bench = await toolBench({ shows: node('button', { text: 'OK', id: 'ok' }) })
  const handle = await bench.acquire()
  const { signal } = new AbortController()
  return { ...bench, handle, resource: createScreenResource(bench.deviceUses), request: { handle, principal: alice, signal } }
}

t.test('the screen of a lease is read in full, with the refs the tools know', async (t) => {
  const { resource, request, call, handle } = await setup()
  const { lines, data } = await resource.readScreen(request)

  t.match(lines, [/^rev 1, /, 'e1 button "OK" #ok 0,0,1080,100'])
  t.match(data, { device: 'phone-1', rev: 1, at: String, elements: [{ ref: 'e1', id: 'ok', rect: [0, 0, 1080, 100] }] })
  t.match((await call('tapOn', { lease: handle, target: { ref: 'e1' }, observe: 'none' })).structuredContent, { ref: 'e1' })
})

t.test('the screenshot of a lease is a file at the size of the screen', async (t) => {
  const { resource, request, phone } = await setup()

  t.same(await resource.readScreenshot(request), Buffer.from('png'))
  t.same(phone.did, ['screenshot 1080'])
})

t.test('CACHE-07, RES-03, D-20: another principal\'s lease and one that never was are the same refusal', async (t) => {
  const { resource, request } = await setup()

  for (const read of [resource.readScreen, resource.readScreenshot]) {
    const theirs = await read({ ...request, principal: bob }).then(() => 'read', (error) => JSON.stringify(error))
    const nobodys = await read({ ...request, handle: 'ls_never' }).then(() => 'read', (error) => JSON.stringify(error))
    t.match(theirs, 'lease_unknown')
    t.equal(theirs, nobodys)
  }
})
