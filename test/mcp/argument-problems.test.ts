import t from 'tap'
import { z } from 'zod'
import { zodCheck } from '../../src/mcp/argument-check.ts'
import { problemText } from '../../src/mcp/argument-problems.ts'
import { toolBench } from '../support/tool-bench.ts'

const { tools } = await toolBench()

/** What a tool of ours says to some arguments; its name stands for it. */
function saying (tool: string, given: Record<string, unknown>): string {
  const { input } = tools.find(({ name }) => name === tool) ?? {}
  if (input === undefined) throw new Error(`no tool ${tool}`)
  const read = zodCheck(input).read(given)
  return read.ok ? JSON.stringify(read.input) : problemText(read.problems)
}

t.test('an object that came as one text gets an example with that text in it', async (t) => {
  t.equal(saying('tapOn', { target: 'Shop' }), 'target must be an object such as {"text":"Shop"}, not text')
  t.equal(saying('tapOn', { target: 'e5' }), 'target must be an object such as {"ref":"e5"}, not text')
  t.equal(saying('clearText', { target: 'button' }), 'target must be an object such as {"role":"button"}, not text')
  t.equal(saying('observe', { within: ['Shop'] }), 'within must be an object such as {"text":"…"}, not a list')
  t.equal(saying('waitFor', { for: '{"text":"Shop"' }), 'for must be an object such as {"text":"…"}, and this text cannot be read as JSON')
  t.equal(saying('listDevices', { labels: 'big' }), 'labels must be a list such as ["big"], not text')
  t.equal(saying('acquireDevices', { devices: 'ios' }), 'devices must be a list such as [{"label":"…","platform":"ios"}], not text')
  t.equal(saying('swipeOn', { from: '1,2', to: { x: 1, y: 1 } }), 'from must be an object such as {"x":0,"y":0}, not text')
  t.equal(saying('setDeviceState', { location: 'Berlin' }), 'location must be an object such as {"latitude":0,"longitude":0}, not text')
  t.ok(saying('tapOn', { target: 'x'.repeat(100_000) }).length < 200)
})

t.test('an argument that stands beside its object, or in it by mistake, is told where it goes', async (t) => {
  t.equal(saying('tapOn', { text: 'Shop' }), 'target is missing; text is no argument here; it goes inside target')
  t.equal(saying('tapOn', { target: { text: 'Shop' }, index: 1 }), 'index is no argument here; it goes inside target')
  t.match(saying('swipeOn', { direction: 'down', text: 'Shop' }), 'text is no argument here; it goes inside within or untilVisible')
  t.equal(saying('tapOn', { target: { text: 'Shop', observe: 'none' } }), 'target.observe is no argument here; it goes outside, beside the other arguments')
  t.equal(saying('observe', { details: 'full' }), 'details is no argument here; did you mean detail?')
})

t.test('every misfit is told in plain words, with what came', async (t) => {
  const expected: ReadonlyArray<readonly [string, Record<string, unknown>, string]> = [
    ['observe', { max: 0 }, 'max must be at least 1, not 0'],
    ['observe', { max: 1e99 }, 'max must be at most 500, not 1e+99'],
    ['observe', { since: 1.5 }, 'since must be a whole number, not the number 1.5'],
    ['observe', { detail: 'Full' }, 'detail must be one of lines, full, raw, not "Full"; did you mean full?'],
    ['observe', { detail: 7 }, 'detail must be one of lines, full, raw, not a number'],
    ['observe', { includeOffscreen: 'yes' }, 'includeOffscreen must be true or false, not text'],
    ['observe', { within: { textMatches: 'x'.repeat(300) } }, 'within.textMatches may have 200 characters at most, and has 300'],
    ['renewLease', { lease: '' }, 'lease is empty'],
    ['renewLease', { lease: 5 }, 'lease must be text, not a number'],
    ['setDeviceState', { locale: 'd' }, 'locale must have at least 2 characters, not 1'],
    ['acquireDevices', { devices: [] }, 'devices is empty'],
    ['acquireDevices', { devices: [{ platform: 'ios' }] }, 'devices.0.label is missing'],
    ['acquireDevices', { devices: { alice: { labels: 5 } } }, 'devices.alice.labels must be a list such as ["…"], not a number'],
    ['recordScreen', {}, 'action is missing (one of start, stop)'],
    ['recordScreen', { action: null }, 'action is missing (one of start, stop)'],
    ['inputText', { text: null }, 'text is missing'],
    ['waitFor', { for: { text: ' ' } }, 'for.text has nothing in it that can be seen'],
    ['openLink', { url: 'x y' }, 'url must be a URL with a scheme and without blanks, such as https://example.com'],
    ['openLink', { url: `https:${'x'.repeat(3_000)}` }, 'url may have 2048 characters at most, and has 3006'],
    ['inputText', { text: 'x'.repeat(10_001) }, 'text may have 10000 characters at most, and has 10001'],
    ['setDeviceState', { clipboard: 'x'.repeat(10_001) }, 'clipboard may have 10000 characters at most, and has 10001'],
    ['installApp', { definition: 'x'.repeat(65_537) }, 'definition may have 65536 characters at most, and has 65537'],
    ['putFile', { path: 'a', text: 'x'.repeat(524_289) }, 'text may have 524288 characters at most, and has 524289; A file has 524288 bytes at most'],
    ['putFile', { path: 'a', base64: '!' }, 'base64 is not base64']
  ]
  for (const [tool, given, words] of expected) t.equal(saying(tool, given), words, `${tool} ${JSON.stringify(given).slice(0, 60)}`)
})

t.test('no tool of ours answers any wrong type with words of the checker', async (t) => {
  const wrong = [5, 1.5, true, '', 'x', [], ['x'], {}, { x: {} }, null, -1, 1e300, '[', '{"a":1}']
  for (const { name, input } of tools) {
    const check = zodCheck(input)
    for (const argument of Object.keys(input.shape)) {
      for (const value of wrong) {
        const read = check.read({ [argument]: value })
        if (!read.ok) t.notMatch(problemText(read.problems), /Invalid|expected|Too (?:small|big)|received|does not fit|undefined|: ?$|(?:>=|<=)\d+ (?:characters|items)/, `${name} ${argument} ${JSON.stringify(value)}`)
      }
    }
  }
})

t.test('every optional argument of every tool may be null', async (t) => {
  for (const { name, input } of tools) {
    const { required = [], properties = {} } = zodCheck(input).inputSchema as { required?: string[], properties?: Record<string, unknown> }
    const optional = Object.fromEntries(Object.keys(properties).filter((argument) => !required.includes(argument)).map((argument) => [argument, null]))
    t.equal(saying(name, optional), saying(name, {}), name)
  }
})

t.test('arguments of a call have room for one problem each, and the last says most', async (t) => {
  const check = zodCheck(z.strictObject({ name: z.string().min(2).refine((name) => name !== '', { error: 'has to be a name' }) }))

  t.same(check.read({ name: '' }), { ok: false, problems: [{ argument: 'name', problem: 'has to be a name' }] })
})
