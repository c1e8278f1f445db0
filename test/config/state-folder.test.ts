import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findStateFolder } from '../../src/config/state-folder.ts'

function setup (t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-state-folder-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, own: process.getuid?.() ?? 0, other: (process.getuid?.() ?? 0) + 1 }
}

t.test('a folder of another user that we may write to gets a folder of our own inside', async (t) => {
  const { folder, own, other } = setup(t)
  chmodSync(folder, 0o777)

  t.equal(findStateFolder(folder, { uid: other }), join(folder, 'mooring'))
  if (own !== 0) t.equal(findStateFolder(folder, { uid: own }), folder, 'our own folder is used as it is')
  t.equal(findStateFolder(folder, { uid: 0 }), folder)
  t.equal(findStateFolder(join(folder, 'not-there'), { uid: other }), join(folder, 'not-there'))
})

t.test('a folder that has a database stays the one that is used', async (t) => {
  const { folder, other } = setup(t)
  mkdirSync(join(folder, 'mooring'))
  writeFileSync(join(folder, 'mooring.sqlite'), '')

  t.equal(findStateFolder(folder, { uid: other }), folder)
})
