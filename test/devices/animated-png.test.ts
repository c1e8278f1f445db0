import fc from 'fast-check'
import assert from 'node:assert/strict'
import { PNG } from 'pngjs'
import t from 'tap'
import { joinFrames, readFilm } from '../../src/devices/animated-png.ts'

function picture (shade: number): Buffer {
  const png = new PNG({ width: 5, height: 3 })
  png.data.fill(shade)
  return PNG.sync.write(png)
}

t.test('an animation is taken apart into the pictures it was made of, by the time at which they show', (t) => {
  const shades = [10, 20, 30]
  const film = readFilm(joinFrames(shades.map((shade, index) => ({ png: picture(shade), durationMs: [100, 1_000, 50][index] ?? 0 }))))

  t.equal(film?.durationMs, 1_150)
  for (const [atMs, shade, fromMs] of [[0, 10, 0], [99, 10, 0], [100, 20, 100], [1_099, 20, 100], [1_100, 30, 1_100], [1_150, 30, 1_100], [999_999, 30, 1_100]] as const) {
    const frame = film?.frameAt(atMs)
    t.equal(frame?.fromMs, fromMs)
    t.equal(PNG.sync.read(frame?.png ?? Buffer.alloc(0), { checkCRC: true }).data[0], shade)
  }
  t.end()
})

t.test('a picture that does not move, and what is no picture, is no film', (t) => {
  t.equal(readFilm(picture(1)), undefined)
  t.equal(readFilm(Buffer.from('hello')), undefined)
  t.equal(readFilm(Buffer.alloc(0)), undefined)
  t.end()
})

t.test('a part of a picture in an animation makes it none that can be taken apart', (t) => {
  const file = joinFrames([{ png: picture(1), durationMs: 10 }, { png: picture(2), durationMs: 10 }])
  for (const offset of [4, 8, 12, 16]) {
    const partial = Buffer.from(file)
    const control = partial.lastIndexOf('fcTL', undefined, 'latin1') + 4
    partial.writeUInt32BE(partial.readUInt32BE(control + offset) + 1, control + offset)
    t.equal(readFilm(partial), undefined)
  }
  t.end()
})

t.test('a file of very many parts is none that is taken apart', (t) => {
  const file = joinFrames([{ png: picture(1), durationMs: 10 }])
  const part = Buffer.concat([Buffer.from([0, 0, 0, 0]), Buffer.from('teXt', 'latin1'), Buffer.alloc(4)])
  const headEnd = 8 + 25
  const withParts = (count: number) => Buffer.concat([file.subarray(0, headEnd), ...Array.from({ length: count }, () => part), file.subarray(headEnd)])
  t.ok(readFilm(withParts(1_000)))
  t.equal(readFilm(withParts(40_000)), undefined)
  t.end()
})

t.test('no bytes make the reader throw or give more than the file holds', async () => {
  const file = joinFrames([{ png: picture(1), durationMs: 10 }, { png: picture(2), durationMs: 10 }])
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat({ max: file.length - 1 }), fc.nat({ max: 255 })), { maxLength: 6 }), fc.nat({ max: file.length }), (changes, end) => {
    const changed = Buffer.from(file)
    for (const [at, byte] of changes) changed[at] = byte
    const film = readFilm(changed.subarray(0, end))
    if (film === undefined) return
    assert.ok(Number.isFinite(film.durationMs))
    assert.ok(film.frameAt(5).png.length <= file.length + 100)
  }), { numRuns: 5_000 })
})
