/**
 * Deep YAML ended the whole process inside of a regular expression, and aliases that contain
 * themselves or stand for very much ended the start with an error of the parser. In mooring.yaml
 * and in the files of apps both are errors with a line.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readConfigFile } from '../../src/config/read-config-file.ts'
import { sampleAppsFolder } from '../../src/devices/virtual/apps/load-apps.ts'
import { readYaml } from '../../src/devices/virtual/apps/read-yaml.ts'
import { yamlExcess } from '../../src/text/yaml-budget.ts'
import { scratchFile } from '../support/scratch-file.ts'

const levels = 20_000
const deep: Readonly<Record<string, string>> = {
  'open maps': '{a: '.repeat(levels),
  'open lists': '['.repeat(levels),
  'closed lists': '['.repeat(levels) + ']'.repeat(levels),
  'maps in lists': '[{a: '.repeat(levels),
  dashes: '- '.repeat(levels),
  'question marks': '? '.repeat(levels),
  colons: ': '.repeat(levels),
  'dashes and question marks': '- ? '.repeat(levels),
  indentation: Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
  'indented dashes': Array.from({ length: 2_000 }, (_, level) => `${' '.repeat(level)}-`).join('\n'),
  'behind a document': `---\n${'{a: '.repeat(levels)}`
}

t.test('YAML that goes deep is refused with the line, whichever way it goes deep', (t) => {
  for (const [name, nested] of Object.entries(deep)) {
    for (const [under, text] of [['', nested], ['a setting', `server:\n  allowedHosts:\n${nested.split('\n').map((line) => `    ${line}`).join('\n')}`]] as const) {
      const read = readYaml(text, { allowsAliases: true })
      t.match(read, { ok: false, problem: /nested deeper than 64 levels at line \d+$/ }, `an app: ${name} ${under}`)

      const file = scratchFile(t, 'mooring.yaml')
      writeFileSync(file, text.slice(0, 200_000))
      const { problems = [] } = readConfigFile(file) ?? {}
      t.equal(problems.length, 1, `${name} ${under}`)
      t.match(problems[0], { source: /mooring\.yaml:\d+/, message: /nested deeper than 64 levels/ }, `mooring.yaml: ${name} ${under}`)
    }
  }
  t.end()
})

t.test('what goes only as deep as anything has to is read', (t) => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  t.equal(yamlExcess(nested(64), { levels: 64 }), undefined)
  t.strictSame(yamlExcess(nested(65), { levels: 64 }), { of: 'levels', at: 64 })
  t.equal(yamlExcess(Array.from({ length: 5_000 }, (_, i) => `k${i}: [1, {a: b}]`).join('\n'), { levels: 8 }), undefined)
  t.equal(yamlExcess(`a: "${'['.repeat(1_000)}"\n# ${'{'.repeat(1_000)}\nb: |\n  ${'- '.repeat(1_000)}`, { levels: 8 }), undefined, 'what only looks like it is text')
  t.end()
})

t.test('what a caller sent is refused with the line before much work is done for it', (t) => {
  const manyParts: Readonly<Record<string, string>> = {
    keys: Array.from({ length: 13_000 }, (_, i) => `k${i}:`).join('\n'),
    'a list': `[${'a,'.repeat(32_000)}]`,
    'empty rows': '-\n'.repeat(32_000),
    anchors: '&a '.repeat(20_000),
    comments: '#\n'.repeat(32_000),
    'empty lines': '\n'.repeat(65_000)
  }
  for (const [name, text] of Object.entries(manyParts)) {
    t.match(readYaml(text, { allowsAliases: false }), { ok: false, problem: /^more than 28000 words and marks, the last at line \d+$/ }, name)
  }
  t.strictSame(yamlExcess('a: b', { levels: 8, lexemes: 3 }), { of: 'lexemes', at: 1 })

  const samples = readdirSync(sampleAppsFolder).filter((name) => name.endsWith('.yaml')).map((name) => readFileSync(join(sampleAppsFolder, name), 'utf8'))
  for (const sample of samples) {
    t.equal(yamlExcess(sample, { levels: 64, lexemes: 28_000 * sample.length / 65_536 }), undefined, 'as many as the sample apps have are allowed in the largest file')
  }
  t.end()
})

t.test('aliases in mooring.yaml that contain themselves or stand for too much are errors with a line', (t) => {
  const bomb = ['&a [x, x, x, x, x, x, x, x, x]', ...'bcdefgh'.split('').map((name, i) => `&${name} [${`*${'abcdefg'[i]}, `.repeat(9)}]`)]
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['contains itself', 'server:\n  port: 1\n  allowedHosts: &all [one, *all]\n'],
    ['contains itself further down', 'server:\n  port: 1\n  allowedHosts: &all [one, [two, {three: *all}]]\n'],
    ['stands for very much', `server:\n  port: 1\n  allowedHosts: [${bomb.join(', ')}]\n`]
  ]
  for (const [name, text] of texts) {
    const file = scratchFile(t, 'mooring.yaml')
    writeFileSync(file, text)
    const { problems = [], said = [] } = readConfigFile(file) ?? {}
    t.match(problems, [{ source: /mooring\.yaml:3:3 server\.allowedHosts$/, message: /aliases/ }], name)
    t.match(said, [{ value: 1 }], 'and the rest is read')
  }
  const group = scratchFile(t, 'mooring.yaml')
  writeFileSync(group, '&all\nserver: *all\n')
  t.match(readConfigFile(group)?.problems, [{ source: /mooring\.yaml:2/, message: /no setting server\.server/ }])
  t.end()
})

t.test('an alias that is only a short way of saying something is one', (t) => {
  const file = join(dirname(scratchFile(t)), 'etc', 'mooring.yaml')
  mkdirSync(dirname(file))
  writeFileSync(file, 'server:\n  allowedHosts: [&us one.example, *us]\n  allowedOrigins: &none []\n')
  t.match(readConfigFile(file), { problems: [], said: [{ value: ['one.example', 'one.example'] }, { value: [] }] })
  t.end()
})

t.test('a settings file that is too long to be one is refused', (t) => {
  const file = scratchFile(t, 'mooring.yaml')
  writeFileSync(file, '# much\n'.repeat(60_000))
  t.match(readConfigFile(file)?.problems, [{ message: /more than 262144 characters/ }])
  t.end()
})
