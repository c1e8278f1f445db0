/** Sixty screenshots that were asked for in one moment were drawn in one turn of the loop, which took most of a second. */
import t from 'tap'
import { drawInTurn } from '../../src/devices/virtual/render/draw-in-turn.ts'
import { command, phoneBench } from '../devices/virtual/phone-bench.ts'

t.test('of many pictures each is drawn in a turn of its own, a few are in memory, and one that fails holds up none', async (t) => {
  let turn = 0
  const count = () => {
    turn++
    if (turn < 1_000) setImmediate(count)
  }
  setImmediate(count)
  const drawnIn: number[] = []
  let inMemory = 0
  let most = 0

  const pictures = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => drawInTurn(async () => {
    drawnIn.push(turn)
    inMemory++
    most = Math.max(most, inMemory)
    await new Promise(setImmediate)
    inMemory--
    if (index % 7 === 0) throw new Error('broken')
    return index
  })))
  turn = 1_000

  t.equal(drawnIn.length, 60)
  t.ok(most <= 4)
  t.ok(new Set(drawnIn).size >= 60 / most, 'not all in one turn')
  t.strictSame(pictures.map((picture) => picture.status === 'fulfilled' ? picture.value : 'broken'), Array.from({ length: 60 }, (_, index) => index % 7 === 0 ? 'broken' : index))
})

t.test('a picture shows the screen as it was when it was asked for', async (t) => {
  const { png: home } = await phoneBench().driver.screenshot({ width: 200 }, command)
  const bench = phoneBench()

  const asked = bench.driver.screenshot({ width: 200 }, command)
  await bench.launch('shop')

  t.ok((await asked).png.equals(home))
  t.notOk((await bench.driver.screenshot({ width: 200 }, command)).png.equals(home))
})
