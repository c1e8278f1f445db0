import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** Where engineers and operators read: all that is published, and the code itself. */
const read = ['README.md', 'CONTRIBUTING.md', 'bench', 'demo', 'docs', 'openapi', 'plugins', 'routes', 'scripts', 'src']

const readable = /\.(?:ts|md|json|ya?ml)$/

/** A sentence with one of these has no subject: it could be a holder, a waiter, an operator, another server. */
const subjectless = /\b(?:whoever|somebody|nobody|anybody|everybody|someone|anyone|everyone)\b/i

t.test('sentences name their subject', async (t) => {
  const files = read.flatMap((path) => readable.test(path)
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => readable.test(name)).map((name) => join(path, name)))

  t.ok(files.length > 300, 'the files are found')
  t.strictSame(files.flatMap((file) => readFileSync(file, 'utf8').split('\n').flatMap((line, index) =>
    subjectless.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])), [])
})
