import { execFileSync } from 'node:child_process'
import t from 'tap'
import { z } from 'zod'
import { packageRoot } from '../../src/runtime/package-root.ts'

const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])

t.test('a package has what runs mooring and what explains it, and nothing else', async (t) => {
  // The scripts of the package would build everything anew, below the tests that run from there.
  const listed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [{ files }] = packed.parse(JSON.parse(listed))
  const paths = files.map(({ path }) => path)

  for (const needed of ['dist/src/cli/main.js', 'dist/src/app.js', 'migrations/sqlite/meta/_journal.json', 'virtual-apps/shop.yaml', 'README.md', 'docs/operations.md', 'package.json']) {
    t.ok(paths.includes(needed), needed)
  }
  const strange = paths.filter((path) => !/^(?:dist\/(?:src|plugins|routes)\/.*\.js|docs\/.*\.md|migrations\/.*\.(?:sql|json)|openapi\/openapi\.json|virtual-apps\/.*|mooring\.schema\.json|package\.json|README\.md)$/.test(path))
  t.strictSame(strange, [])
})
