import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { codesIn, errorsPage, listRefusals, plainCodes, refusalsIn } from '../../scripts/errors-page.ts'
import { Refusal } from '../../src/refusals/refusal.ts'
import { packageRoot } from '../../src/runtime/package-root.ts'

// Compiled or from its source, like this file itself.
const extension = extname(import.meta.url)
const source = fileURLToPath(new URL('../../src', import.meta.url))
/** Runs when it is imported. */
const program = join('cli', 'main.ts')

/** The names of all refusals that can be thrown, found by loading every module. */
async function loadedRefusals (): Promise<readonly string[]> {
  // A compiled file may have outlived its source.
  const files = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && name !== program)
  const compiled = files.map((name) => join(source, `${name.slice(0, -'.ts'.length)}${extension}`))
  const modules = await Promise.all(compiled.map(async (file): Promise<Record<string, unknown>> => await import(pathToFileURL(file).href)))
  return modules.flatMap((module) => Object.values(module)).flatMap((exported) =>
    typeof exported === 'function' && exported.prototype instanceof Refusal ? [exported.name] : [])
}

t.test('the page is up to date; `npm run generate` makes it so', async (t) => {
  t.equal(readFileSync(join(packageRoot, 'docs/errors.md'), 'utf8'), errorsPage())
})

t.test('every refusal of the code is on the page', async (t) => {
  const loaded = [...await loadedRefusals()].sort()

  t.ok(loaded.length > 20)
  t.same(listRefusals().map(({ className }) => className).sort(), loaded)
})

t.test('every code that an answer can have is on the page', async (t) => {
  const known = [...listRefusals(), ...plainCodes].map(({ code }) => code)
  const found = ['src', 'plugins', 'routes'].flatMap((folder) => readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => codesIn(readFileSync(join(packageRoot, folder, name), 'utf8'), name)))

  t.same([...new Set(found)].sort(), plainCodes.map(({ code }) => code).sort(), 'each plain code is answered somewhere, and no other is')
  t.same(known, [...new Set(known)], 'none has two meanings')
  t.same(codesIn("const a = { code: 'a_b', other: { code: `c_d` } }; class R { readonly code = 'e_f' }; f({ code: 'custom' })", 'a.ts'), ['a_b', 'c_d'])
})

t.test('codes are unique, and in snake case', async (t) => {
  const codes = listRefusals().map(({ code }) => code)

  t.same(codes, [...new Set(codes)])
  for (const code of codes) t.match(code, /^[a-z]+(_[a-z]+)*$/)
})

t.test('an entry says when, whether to retry, and what to do in each case', async (t) => {
  const entry = (facts: string) => refusalsIn(`
    /** It
     * happened. */
    export class ARefusal extends Refusal {
      readonly code = 'a_code'

      constructor (file: string, facts: { retryAfterMs: number }) {
        super({ message: 'No.', ${facts} })
      }
    }
    export class Other extends Error {}
  `, 'a.ts')

  t.same(entry('retryable: false, nextAction: `Move ${file}.`'), [{ // eslint-disable-line no-template-curly-in-string -- it is source text
    className: 'ARefusal', code: 'a_code', when: 'It happened.', retry: 'no', nextActions: ['Move <file>.']
  }])
  t.match(entry("retryable: true, nextAction: file === '' ? 'Wait.' : 'Go.', ...facts"), [{ retry: 'yes, after `retryAfterMs`', nextActions: ['Wait.', 'Go.'] }])
  t.match(entry("retryable: facts.isSoon, nextAction: facts.say ?? 'Look.'"), [{ retry: /^it depends/, nextActions: ['Look.'] }])
  t.match(entry('retryable: true, nextAction: facts.nextAction'), [{ nextActions: [] }])
  t.throws(() => refusalsIn('class A extends Refusal { code = "a" }', 'a.ts'), { message: /a\.ts: A needs a docstring/ })
})
