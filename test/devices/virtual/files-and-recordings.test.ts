import { PNG } from 'pngjs'
import t from 'tap'
import { command, phoneBench } from './phone-bench.ts'

t.test('a file comes back as it was pushed, and its copies are its own', async (t) => {
  const { driver } = phoneBench()
  const content = Buffer.from('one')
  await driver.pushFile('b/one.txt', content, command)
  await driver.pushFile('a.txt', Buffer.from('22'), command)
  content.fill(0)
  const pulled = await driver.pullFile('b/one.txt', command)
  t.equal(pulled.toString(), 'one')
  pulled.fill(0)
  t.equal((await driver.pullFile('b/one.txt', command)).toString(), 'one')

  await driver.pushFile('a.txt', Buffer.from('333'), command)
  t.same(await driver.listFiles(command), [{ path: 'a.txt', bytes: 3 }, { path: 'b/one.txt', bytes: 3 }])
  await driver.removeFile('a.txt', command)
  await t.rejects(driver.pullFile('a.txt', command), { code: 'file_not_found', details: { files: ['b/one.txt'] } })
  await t.rejects(driver.removeFile('a.txt', command), { code: 'file_not_found' })
})

t.test('files have a quota of their number and of their bytes together', async (t) => {
  const { driver } = phoneBench()
  for (let number = 0; number < 50; number += 1) await driver.pushFile(`f${number}`, Buffer.alloc(1), command)
  await t.rejects(driver.pushFile('g', Buffer.alloc(1), command), { code: 'storage_full', message: /holds no more files/ })
  await driver.pushFile('f1', Buffer.alloc(2), command)

  const other = phoneBench().driver
  for (const path of ['a', 'b', 'c']) await other.pushFile(path, Buffer.alloc(524_288), command)
  await other.pushFile('d', Buffer.alloc(524_287), command)
  await t.rejects(other.pushFile('e', Buffer.alloc(2), command), { code: 'storage_full', details: { needed: 2, free: 1 } })
  await other.pushFile('d', Buffer.alloc(524_288), command)
})

/** Types of the chunks of a PNG with their data. */
function chunksOf (png: Buffer): { readonly type: string, readonly data: Buffer }[] {
  const chunks = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

function delaysOf (png: Buffer): number[] {
  return chunksOf(png).filter(({ type }) => type === 'fcTL').map(({ data }) => data.readUInt16BE(20) / data.readUInt16BE(22) * 1_000)
}

t.test('a recording is an animated PNG of the screens that there were, each as long as it showed', async (t) => {
  const bench = phoneBench()
  await bench.driver.startRecording({ maxMs: 60_000 }, command)
  bench.time.advance(1_000)
  await bench.launch('shop')
  bench.time.advance(2_500)
  await bench.driver.setOrientation('landscape', command)
  bench.time.advance(500)
  const recording = await bench.driver.stopRecording(command)

  t.match(recording, { path: 'recording-1.png', mimeType: 'image/apng', durationMs: 4_000, isComplete: true })
  const png = await bench.driver.pullFile(recording.path, command)
  t.equal(png.length, recording.bytes)
  // The shop itself loads for a while, which is another screen.
  const delays = delaysOf(png)
  t.equal(delays[0], 1_000)
  t.equal(delays.reduce((sum, delay) => sum + delay, 0), 4_000)
  t.ok(delays.length >= 3)
  t.equal(chunksOf(png).find(({ type }) => type === 'acTL')?.data.readUInt32BE(0), delays.length)
  const sequence = chunksOf(png).filter(({ type }) => type === 'fcTL' || type === 'fdAT').map(({ data }) => data.readUInt32BE(0))
  t.same(sequence, sequence.map((_, index) => index))
  const { width, height } = PNG.sync.read(png)
  t.same([width, height], [533, 533], 'both ways of holding it fit')
  t.match(await bench.driver.listFiles(command), [{ path: 'recording-1.png' }])
})

t.test('the same commands at the same instants make the same recording', async (t) => {
  const record = async () => {
    const bench = phoneBench()
    await bench.driver.startRecording({ maxMs: 10_000 }, command)
    await bench.launch('shop')
    bench.time.advance(3_000)
    await bench.driver.stopRecording(command)
    return await bench.driver.pullFile('recording-1.png', command)
  }
  t.ok((await record()).equals(await record()))
})

t.test('what an app does while nobody looks is in the recording at its own instant', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('messages')
  await bench.driver.startRecording({ maxMs: 60_000 }, command)
  await bench.tapOn('late')
  bench.time.advance(20_000)
  const { durationMs } = await bench.driver.stopRecording(command)

  t.equal(durationMs, 20_000)
  t.same(delaysOf(await bench.driver.pullFile('recording-1.png', command)), [1, 3_000, 3_500, 13_500])
})

t.test('a recording ends at its limit, whenever it is stopped', async (t) => {
  const bench = phoneBench()
  await bench.driver.startRecording({ maxMs: 2_000 }, command)
  bench.time.advance(5_000)
  await bench.launch('shop')
  bench.time.advance(5_000)
  const { durationMs, isComplete } = await bench.driver.stopRecording(command)
  t.same([durationMs, isComplete], [2_000, true])
  t.same(delaysOf(await bench.driver.pullFile('recording-1.png', command)), [2_000])
})

t.test('a recording is no longer than the phone can, and says that its end is missing', async (t) => {
  for (const [maxMs, isComplete] of [[180_000, true], [180_001, false]] as const) {
    const bench = phoneBench()
    await bench.driver.startRecording({ maxMs }, command)
    bench.time.advance(200_000)
    t.match(await bench.driver.stopRecording(command), { durationMs: 180_000, isComplete })
  }
})

t.test('a recording of too many changes says that its end is missing', async (t) => {
  const bench = phoneBench()
  await bench.driver.startRecording({ maxMs: 60_000 }, command)
  for (let turn = 0; turn < 50; turn += 1) {
    bench.time.advance(200)
    await bench.driver.setOrientation(turn % 2 === 0 ? 'landscape' : 'portrait', command)
  }
  t.match(await bench.driver.stopRecording(command), { isComplete: false, durationMs: 10_000 })
  t.equal(delaysOf(await bench.driver.pullFile('recording-1.png', command)).length, 40)
})

t.test('one recording at a time; one that is discarded leaves nothing', async (t) => {
  const { driver } = phoneBench()
  await t.rejects(driver.stopRecording(command), { code: 'not_recording' })
  await driver.startRecording({ maxMs: 2_000 }, command)
  await t.rejects(driver.startRecording({ maxMs: 2_000 }, command), { code: 'already_recording' })
  t.equal(await driver.discardRecording(command), true)
  t.equal(await driver.discardRecording(command), false)
  t.same(await driver.listFiles(command), [])
})

t.test('a recording for which there is no room can be stopped again once there is', async (t) => {
  const { driver } = phoneBench()
  for (const path of ['a', 'b', 'c', 'd']) await driver.pushFile(path, Buffer.alloc(524_288), command)
  await driver.startRecording({ maxMs: 2_000 }, command)
  await t.rejects(driver.stopRecording(command), { code: 'storage_full' })
  await driver.removeFile('a', command)
  t.match(await driver.stopRecording(command), { path: 'recording-1.png' })
})

t.test('a stop that is called off while the pictures are made writes no file', async (t) => {
  const bench = phoneBench()
  await bench.driver.startRecording({ maxMs: 2_000 }, command)
  const caller = new AbortController()
  const stopping = bench.driver.stopRecording({ fence: 1, signal: caller.signal })
  await Promise.resolve()
  caller.abort()
  await t.rejects(stopping, { code: 'cancelled' })
  // A second recording takes at least as long to draw as the first one.
  await bench.driver.stopRecording(command)
  t.match(await bench.driver.listFiles(command), [{ path: 'recording-1.png' }])
})
