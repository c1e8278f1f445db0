import t from 'tap'
import { helpText } from '../../src/cli/help-text.ts'
import { settings } from '../../src/config/setting.ts'

t.test('shows every setting as a flag, with its default', async (t) => {
  const text = helpText()

  for (const { flag } of settings) t.match(text, new RegExp(`^  ${flag}( <|$)`, 'm'), flag)
  t.match(text, /^ {2}--port <n>\n {6}Port to listen on.* Default: 8484\.$/m)
  t.match(text, /^ {2}--open-probes\n/m)
})

t.test('fits a terminal of 80 columns', async (t) => {
  t.same(helpText().split('\n').filter((line) => line.length > 80), [])
})

t.test('every group of settings has a title', async (t) => {
  t.notMatch(helpText(), /^[a-z]\w*$/m)
})
