/* eslint no-template-curly-in-string: off -- it is the notation of app files */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadApps, parseApp, sampleAppsFolder } from '../../../src/devices/virtual/apps/load-apps.ts'
import { appFile } from './app-file.ts'
import { parseLinkPattern } from '../../../src/devices/virtual/apps/link-pattern.ts'

t.test('the sample apps load, sorted by id', async (t) => {
  t.same(loadApps([sampleAppsFolder]).map(({ id, name }) => [id, name]), [
    ['com.example.fieldnotes', 'Field Notes'],
    ['com.example.kitchensink', 'Kitchen Sink'],
    ['com.example.messenger', 'Messenger'],
    ['com.example.settings', 'Settings'],
    ['com.example.shop', 'Shop']
  ])
})

t.test('a mistake in an app file is told with the file, the place in it and what is allowed', async (t) => {
  const mistakes = [
    ['[{ role: txt, text: hello }]', /tiny\.yaml is no app.*\n.*screens\.first\.content\[0\]\.role: role has to be one of: column, row, text/],
    ['[{ role: text, txt: hello }]', /screens\.first\.content\[0\]: Unrecognized key: "txt"/],
    ['[{ role: text }]', /screens\.first\.content\[0\]\.text: /],
    ['[{ role: text, text: \'${cuont}\' }]', /screens\.first\.content\[0\]\.text: no name "cuont" here \(names: count, text, list, params, device, permissions\)/],
    ['[{ role: text, text: \'${count +}\' }]', /screens\.first\.content\[0\]\.text: something is missing at the end/],
    ['[{ role: text, text: a, visibleIf: count = 1 }]', /content\[0\]\.visibleIf: unexpected "="/],
    ['[{ role: button, text: a, tap: [{ gotoo: first }] }]', /content\[0\]\.tap\[0\]: no action "gotoo" \(actions: set, toggle/],
    ['[{ role: button, text: a, tap: [{ back: true, crash: true }] }]', /content\[0\]\.tap\[0\]: one action to an entry/],
    ['[{ role: button, text: a, tap: [goto: second] }]', /content\[0\]\.tap\[0\]\.goto: no screen "second" \(screens: first\)/],
    ['[{ role: button, text: a, tap: [{ goto: { screen: first, placed: below } }] }]', /tap\[0\]\.goto: goto takes a screen, or/],
    ['[{ role: button, text: a, tap: [dialog: sure] }]', /tap\[0\]\.dialog: no dialog "sure" on this screen/],
    ['[{ role: button, text: a, tap: [focus: name] }]', /tap\[0\]\.focus: no field "name" on this screen/],
    ['[{ role: button, text: a, tap: [set: { cuont: 1 }] }]', /tap\[0\]\.set\.cuont: no variable "cuont" to change/],
    ['[{ role: button, text: a, tap: [delay: { ms: 1, then: [] }] }]', /tap\[0\]\.delay\.ms: /],
    ['[{ role: text, text: a, repeat: { in: list, as: n } }, { role: text, text: \'${n}\' }]', /content\[1\]\.text: no name "n" here/],
    ['[{ role: switch, text: a, bind: item.on }]', /content\[0\]\.bind: no variable "item\.on" to change/],
    ['[{ role: column, content: [{ role: dialog, id: d, title: D, buttons: [{ text: OK }] }] }]', /content\[0\]\.content\[0\]: a dialog stands directly in the content of a screen/],
    ['{', /tiny\.yaml is no app/]
  ] as const
  for (const [content, message] of mistakes) {
    t.throws(() => parseApp(appFile(content), 'tiny.yaml'), { code: 'app_file_invalid', message }, content)
  }
})

t.test('names that every app has are not for its variables, and a name has one kind', async (t) => {
  t.throws(() => parseApp(appFile('[]', 'data: { params: 1 }'), 'a.yaml'), { message: /"params" is a name of its own/ })
  t.throws(() => parseApp(appFile('[]', 'data: { count: 1 }'), 'a.yaml'), { message: /"count" is both in data and in state/ })
  t.throws(() => parseApp(appFile('[]', 'data: { Two words: 1 }'), 'a.yaml'), { message: /data\.Two words: / })
  t.throws(() => parseApp(appFile('[]', 'links: [{ pattern: nonsense, open: [] }]'), 'a.yaml'), { message: /links\[0\]\.pattern: "nonsense" is no link pattern/ })
})

t.test('an app in a folder of one\'s own takes the place of one that comes with mooring', async (t) => {
  const folder = t.testdir({ 'mine.yaml': appFile('[]').replace('com.example.tiny', 'com.example.shop') })

  const apps = loadApps([sampleAppsFolder, folder])

  t.equal(apps.length, 5)
  t.equal(apps.find(({ id }) => id === 'com.example.shop')?.name, 'Tiny')
})

t.test('two files of a folder with one id, an app that is not there, and a folder that is not there are refused', async (t) => {
  const twice = t.testdir({ 'a.yaml': appFile('[]'), 'b.yml': appFile('[]') })
  t.throws(() => loadApps([twice]), { message: /b\.yml is no app[^]*id: "com\.example\.tiny" is also the id of .*a\.yaml/ })
  const lonely = join(twice, 'lonely')
  t.throws(() => loadApps([lonely]), { code: 'apps_folder_unusable', message: /lonely/, nextAction: /devices\.virtual\.appsFolder/ })
  writeFileSync(join(twice, 'b.yml'), appFile('[{ role: button, text: a, tap: [startApp: com.example.absent] }]').replace('tiny', 'other'))
  t.throws(() => loadApps([twice]), { message: /content\[0\]\.tap\[0\]\.startApp: no app "com\.example\.absent" is installed/ })
})

t.test('a link pattern matches whole links and takes their parts out', async (t) => {
  const pattern = parseLinkPattern('https://shop.example.com/product/{id}')
  t.same(pattern?.match('https://shop.example.com/product/a%20b?ref=mail#top'), { id: 'a b' })
  t.same(pattern?.match('https://shop.example.com/product/%zz/'), { id: '%zz' })
  t.equal(pattern?.match('https://shop.example.com/product/1/reviews'), undefined)
  t.equal(pattern?.match('https://shopxexample.com/product/1'), undefined)
  t.equal(pattern?.match('evil://x?https://shop.example.com/product/1'), undefined)
  t.equal(pattern?.match(`https://shop.example.com/product/${'1'.repeat(3_000)}`), undefined)
})

t.test('the example in the description of app files is an app', async (t) => {
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(readFileSync(join(sampleAppsFolder, 'README.md'), 'utf8')) ?? []
  t.equal(parseApp(example, 'README.md').id, 'com.example.counter')
})
