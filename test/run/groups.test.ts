import { join } from 'node:path'
import t from 'tap'
import { groupsOf } from './groups.ts'

const roomOf = (file: string): string => file.split('/')[0] ?? ''
const filesOf = (room: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${room}/${String(at).padStart(2, '0')}`)

t.test('files of a room share a process, eight at most, and the largest rooms come first', async (t) => {
  const groups = groupsOf([...filesOf('small', 2), ...filesOf('large', 17), ...filesOf('middle', 8)], { isAlone: () => false, roomOf })

  t.strictSame(groups.map((group) => [roomOf(group[0] ?? ''), group.length]), [['middle', 8], ['large', 6], ['large', 6], ['large', 5], ['small', 2]])
  t.strictSame(groups.flat().sort(), [...filesOf('large', 17), ...filesOf('middle', 8), ...filesOf('small', 2)])
})

t.test('the order in which files are found makes no difference', async (t) => {
  const files = [...filesOf('one', 11), ...filesOf('two', 5)]
  const options = { isAlone: (file: string) => file.endsWith('/03'), roomOf }

  t.strictSame(groupsOf([...files].reverse(), options), groupsOf(files, options))
})

t.test('a file that says it is alone has a process of its own, before all others', async (t) => {
  const folder = t.testdir({
    'alone.js': '/**\n * Something about it.\n *\n * @alone It counts what is in memory.\n */\nimport t from \'tap\'\n',
    'briefly.js': '/** @alone It counts. */\n',
    'later.js': 'import t from \'tap\'\n/** @alone */\n',
    'ended.js': '/** Nothing. */\n/* @alone */\n'
  })
  const groups = groupsOf(['later.js', 'ended.js', 'briefly.js', 'alone.js'].map((name) => join(folder, name)), { roomOf: () => 'room' })

  t.strictSame(groups, [['alone.js'], ['briefly.js'], ['ended.js', 'later.js']].map((group) => group.map((name) => join(folder, name))))
})
