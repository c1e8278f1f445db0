import { PNG } from 'pngjs'
import t from 'tap'
import type { Rect } from '../../../src/devices/device-types.ts'
import { command, phoneBench, sampleApps, signIn, type PhoneBench } from './phone-bench.ts'

const width = 540

async function shoot (bench: PhoneBench, imageWidth = width): Promise<PNG> {
  const { png } = await bench.driver.screenshot({ width: imageWidth }, command)
  return PNG.sync.read(png)
}

/** How many different colours there are in a part of the screen, given in device pixels. */
function coloursIn (image: PNG, rect: Rect, screenWidth: number): number {
  const scale = image.width / screenWidth
  const colours = new Set<number>()
  for (let y = Math.ceil(rect.y * scale); y < Math.floor((rect.y + rect.height) * scale); y += 1) {
    for (let x = Math.ceil(rect.x * scale); x < Math.floor((rect.x + rect.width) * scale); x += 1) {
      colours.add(image.data.readUInt32BE((y * image.width + x) * 4))
    }
  }
  return colours.size
}

t.test('a picture is as wide as asked, in the shape of the screen, and no wider than it', async (t) => {
  const bench = phoneBench()
  t.match(await bench.driver.screenshot({ width: 360 }, command), { width: 360, height: 800 })
  t.match(await shoot(bench, 360), { width: 360, height: 800 })
  t.match(await bench.driver.screenshot({ width: 5_000 }, command), { width: 1080, height: 2400 })
  await bench.driver.setOrientation('landscape', command)
  t.match(await bench.driver.screenshot({ width: 800 }, command), { width: 800, height: 360 })
  t.match(await bench.driver.screenshot({ width: 1 }, command), { width: 1, height: 1 })
  t.match(await phoneBench({ platform: 'ios' }).driver.screenshot({ width: 393 }, command), { width: 393, height: 852 })
})

t.test('every text of every app\'s first screen is drawn where the tree says', async (t) => {
  for (const platform of ['android', 'ios'] as const) {
    const bench = phoneBench({ platform })
    for (const { id } of sampleApps) {
      await bench.driver.launchApp(id, { clearData: false, restart: false }, command)
      const { size } = await bench.observe()
      const image = await shoot(bench)
      for (const text of await bench.texts()) {
        const { rect } = await bench.find(text)
        if (rect.height > 40) t.ok(coloursIn(image, rect, size.width) > 8, `${platform} ${id}: ${text.slice(0, 30)}`)
      }
    }
  }
})

t.test('each script has letters of its own and not the box that stands for a missing one', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('fields')
  await bench.tapOn('any_text')
  const inside = (await bench.find('any_text')).rect

  async function pixelsOf (text: string): Promise<string> {
    await bench.driver.clearText(command)
    await bench.type(text)
    const image = await shoot(bench, 1080)
    const part = new PNG({ width: inside.width, height: inside.height })
    PNG.bitblt(image, part, inside.x, inside.y, inside.width, inside.height, 0, 0)
    return part.data.toString('base64')
  }

  for (const [one, other] of [['Ω', 'Ψ'], ['Ж', 'Щ'], ['ش', 'ق'], ['ש', 'ל'], ['🎉', '🚀'], ['ß', 'ü']] as const) {
    t.not(await pixelsOf(one), await pixelsOf(other), `${one} and ${other}`)
  }
})

t.test('the same commands give the same bytes', async (t) => {
  async function picture (): Promise<Buffer> {
    const bench = phoneBench()
    await signIn(bench)
    await bench.tapOn('new_note')
    await bench.tapOn('note_text_field')
    await bench.type('Wörter, слова, λέξεις, كلمات')
    const { png } = await bench.driver.screenshot({ width }, command)
    return Buffer.concat([Buffer.from(JSON.stringify(await bench.observe())), png])
  }

  const first = await picture()

  t.ok(first.equals(await picture()))
})

t.test('a picture is kept while the screen stays as it is, and made anew when it or the time changes', async (t) => {
  const bench = phoneBench()
  const { png } = await bench.driver.screenshot({ width }, command)
  bench.time.advance(100)
  t.equal((await bench.driver.screenshot({ width }, command)).png, png)

  bench.time.advance(60_000)
  const later = (await bench.driver.screenshot({ width }, command)).png
  t.notOk(later.equals(png), 'the clock shows another minute')
  await bench.launch('shop')
  t.notOk((await bench.driver.screenshot({ width }, command)).png.equals(later))
})

t.test('hostile texts are drawn without a fault', async (t) => {
  const texts = ['\ud800\udc00\ud800', '\u202e\u2066right to left override', 'ﷺ'.repeat(500), '👨‍👩‍👧'.repeat(300), 'مرحبا '.repeat(1_500), 'x'.repeat(10_000), '\n'.repeat(9_999), 'Z̸̢͘a̴l̵g̶o̷'.repeat(400)]
  for (const text of texts) {
    const bench = phoneBench()
    await bench.launch('kitchensink')
    await bench.tapOn('fields')
    await bench.tapOn('notes')
    await bench.type(text)
    await bench.observe()
    const image = await shoot(bench, 360)
    t.equal(image.height, 800)
  }
})

t.test('a phone that sleeps is black, and so is a picture that the fault has struck', async (t) => {
  const asleep = phoneBench()
  await asleep.press('power')
  const struck = phoneBench({ faults: { blackScreenshotPercent: 100 } })
  for (const bench of [asleep, struck]) {
    const image = await shoot(bench, 108)
    t.equal(image.height, 240)
    t.equal(coloursIn(image, { x: 0, y: 0, width: 1080, height: 2400 }, 1080), 1)
    t.equal(image.data.readUInt32BE(0), 0x000000ff)
  }
})

t.test('a password never shows in a picture', async (t) => {
  async function pictureWith (password: string): Promise<Buffer> {
    const bench = phoneBench()
    await bench.launch('fieldnotes')
    await bench.tapOn('password')
    await bench.type(password)
    return (await bench.driver.screenshot({ width }, command)).png
  }
  t.ok((await pictureWith('lovelace')).equals(await pictureWith('12345678')))
})
