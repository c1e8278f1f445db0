/* eslint no-template-curly-in-string: off -- it is the notation of app files */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import t from 'tap'
import { parse } from 'yaml'
import { parseApp, sampleAppsFolder } from '../../../src/devices/virtual/apps/load-apps.ts'
import type { PhoneBench } from './phone-bench.ts'
import { command, phoneBench, sampleApps } from './phone-bench.ts'

const apps = sampleApps.map(({ id }) => id)

async function setDisplay (bench: PhoneBench, ...choices: readonly string[]): Promise<void> {
  await bench.launch('settings')
  await bench.tapOn('display')
  for (const choice of choices) await bench.tapOn(choice)
}

/** How light a picture is on average, from 0 to 255. */
async function lightness (bench: PhoneBench): Promise<number> {
  const { png, width, height } = await bench.driver.screenshot({ width: 60 }, command)
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(await loadImage(png), 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  return data.reduce((sum, value, at) => (at % 4 === 3 ? sum : sum + value), 0) / (data.length * 3 / 4)
}

for (const platform of ['android', 'ios'] as const) {
  t.test(`the dark theme darkens every app, and goes with the holder (${platform})`, async (t) => {
    const bench = phoneBench({ platform })
    await setDisplay(bench, 'dark_theme')

    for (const app of apps) {
      await bench.driver.launchApp(app, { clearData: false, restart: true }, command)
      t.ok(await lightness(bench) < 90, app)
    }

    t.ok((await bench.driver.restoreHome(command)).includes('reset the appearance'))
    await bench.driver.launchApp('com.example.shop', { clearData: false, restart: true }, command)
    t.ok(await lightness(bench) > 160)
  })
}

t.test('the text size moves what every app shows', async (t) => {
  const [small, large] = [phoneBench(), phoneBench()]
  await setDisplay(small, 'Small')
  await setDisplay(large, 'Large')

  for (const app of apps) {
    const [one, other] = await Promise.all([small, large].map(async ({ driver }) => {
      await driver.launchApp(app, { clearData: false, restart: true }, command)
      return JSON.stringify((await driver.observe(command)).root)
    }))
    t.not(one, other, app)
  }
})

t.test('a language that is read from right to left mirrors a row, and a touch reaches what is drawn there', async (t) => {
  const [usual, mirrored] = [phoneBench({ platform: 'ios' }), phoneBench({ platform: 'ios' })]
  await mirrored.driver.setLocale('ar-EG', command)
  await usual.launch('settings')
  await mirrored.launch('settings')
  const [before, after] = [await usual.find('dark_theme').catch(() => usual.find('network')), await mirrored.find('network')]
  const { width } = (await mirrored.driver.observe(command)).size

  t.equal(after.rect.x, width - before.rect.x - before.rect.width)
  t.same(
    after.children.map(({ rect }) => rect.x),
    before.children.map(({ rect }) => width - rect.x - rect.width)
  )
  await mirrored.tapOn('network')
  t.equal((await mirrored.driver.observe(command)).activity, 'network')
})

t.test('apps and the phone speak the language that it is set to, and English where they do not know it', async (t) => {
  const bench = phoneBench()
  const { driver } = bench
  const signIn = async (locale: string): Promise<string | undefined> => {
    await driver.setLocale(locale, command)
    return (await bench.find('sign_in')).text
  }
  await bench.launch('fieldnotes')

  t.equal(await signIn('de-AT'), 'Anmelden')
  t.equal(await signIn('ar'), 'تسجيل الدخول')
  t.equal(await signIn('fi'), 'Sign in')
  await driver.setLocale('de', command)
  await bench.tapOn('sign_in')
  t.equal((await bench.find('email_error')).text, 'Gib deine E-Mail-Adresse ein.')
  await driver.pressKey('recents', { count: 1, long: false }, command)
  t.ok(await bench.isShown('Alle schließen'))
})

t.test('apps have names in the language of the phone, on the home screen and among the running ones', async (t) => {
  const bench = phoneBench()
  await bench.driver.setLocale('de', command)
  t.ok(await bench.isShown('Feldnotizen'))
  t.ok(await bench.isShown('Messenger'), 'one that has none keeps its own')
  await bench.launch('kitchensink')
  await bench.driver.pressKey('recents', { count: 1, long: false }, command)
  t.ok(await bench.isShown('Allerlei'))
  await bench.driver.setLocale('fr', command)
  t.ok(await bench.isShown('Kitchen Sink'))
})

t.test('what a person wrote is not translated', async (t) => {
  const bench = phoneBench()
  await bench.driver.setLocale('de', command)
  await bench.launch('kitchensink')
  await bench.tapOn('Felder')
  await bench.tapOn('any_text')
  await bench.type('Cancel')
  await bench.press('enter')

  t.ok(await bench.isShown('Du hast geschrieben: Cancel'))
})

t.test('every text that a sample app has in another language stands in its file', async (t) => {
  for (const file of ['fieldnotes', 'kitchensink', 'messenger', 'settings', 'shop']) {
    const { words, ...rest } = parse(readFileSync(join(sampleAppsFolder, `${file}.yaml`), 'utf8'))
    const texts = new Set<unknown>()
    const collect = (value: unknown): void => {
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
      else texts.add(value)
    }
    collect(rest)
    for (const [language, known] of Object.entries<object>(words)) {
      t.same(Object.keys(known).filter((text) => !texts.has(text)), [], `${file} ${language}`)
    }
  }
})

t.test('a text in another language uses no name that the text of the file does not use', async (t) => {
  const file = (text: string): string => JSON.stringify({
    id: 'com.example.words',
    name: 'Words',
    version: '1',
    icon: 'W',
    color: '#112233',
    firstScreen: 'first',
    state: { one: '', other: '' },
    words: { de: { 'Hello ${one}': text } },
    screens: { first: { title: 'Hello ${one}', content: [] } }
  })

  t.doesNotThrow(() => parseApp(file('Hallo ${one}'), 'words.yaml'))
  t.throws(() => parseApp(file('Hallo ${other}'), 'words.yaml'), { message: /words\.de.*uses no name "other"/s })
})
