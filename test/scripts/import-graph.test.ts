import t from 'tap'
import { arrowsBetweenRooms, circlesOf, importsOf, readImports } from '../../scripts/import-graph.ts'

t.test('imports are read from every form in which a file can be imported', async (t) => {
  const text = [
    "import fp from 'fastify-plugin'",
    "import { one } from './one.ts'",
    "import type { Two } from '../two/two.ts'",
    'import {',
    '  three,',
    '  type Four',
    "} from './three.ts'",
    "export { five } from './five.ts'",
    "import './six.ts'",
    "const seven = await import('./seven.ts')"
  ].join('\n')

  const imported = importsOf(text, 'src/room/file.ts')

  t.strictSame(imported, ['five', 'one', 'seven', 'six', 'three'].map((name) => `src/room/${name}.ts`).concat('src/two/two.ts'))
})

t.test('a circle is found however long it is, and a file on the way to it is not in it', async (t) => {
  const graph = new Map([
    ['src/a/start.ts', ['src/a/one.ts']],
    ['src/a/one.ts', ['src/b/two.ts']],
    ['src/b/two.ts', ['src/b/three.ts']],
    ['src/b/three.ts', ['src/a/one.ts', 'src/b/end.ts']],
    ['src/b/end.ts', []]
  ])

  t.strictSame(circlesOf(graph), [['src/a/one.ts', 'src/b/three.ts', 'src/b/two.ts']])
  t.strictSame([...arrowsBetweenRooms(graph)], [['src/a', ['src/b']], ['src/b', ['src/a']]])
})

t.test('no file of mooring imports itself by way of others', async (t) => {
  const graph = readImports()

  t.ok(graph.size > 100, 'the files are found')
  t.strictSame(circlesOf(graph), [])
})
