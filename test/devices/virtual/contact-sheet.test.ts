import { loadImage } from '@napi-rs/canvas'
import t from 'tap'
import { shownIndexes } from '../../../src/devices/virtual/render/contact-sheet.ts'
import { command, phoneBench } from './phone-bench.ts'

t.test('a stopped recording brings a sheet of its screens', async (t) => {
  const bench = phoneBench()
  await bench.driver.startRecording({ maxMs: 60_000 }, command)
  for (const app of ['settings', 'shop', 'kitchensink', 'fieldnotes']) {
    bench.time.advance(1_000)
    await bench.launch(app)
  }

  const { contactSheet } = await bench.driver.stopRecording(command)

  // Home and four apps: two rows of pictures that are 240 pixels wide and 533 high.
  const { width, height } = await loadImage(contactSheet?.png ?? Buffer.alloc(0))
  t.same({ width, height }, { width: 4 * 248 + 8, height: 2 * 541 + 8 })
  t.same(contactSheet?.atMs, [0, 1_000, 2_000, 3_000, 4_000], 'and says since when each showed')
})

t.test('a sheet shows the first and the last screen, and no more than twelve', async (t) => {
  for (const count of [1, 2, 11, 12, 13, 40]) {
    const shown = shownIndexes(count)
    t.equal(shown.length, Math.min(count, 12))
    t.equal(new Set(shown).size, shown.length)
    t.same([shown[0], shown.at(-1)], [0, count - 1])
  }
})
