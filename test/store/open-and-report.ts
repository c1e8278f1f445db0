// Opens the database named on the command line as a process of its own, and prints what came of it.
import { Refusal } from '../../src/refusals/refusal.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'

const [, , file = ''] = process.argv
try {
  await openSqliteStore({ file }).close()
  console.log(JSON.stringify({ opened: true }))
} catch (cause) {
  console.log(JSON.stringify(cause instanceof Refusal ? cause : { unexpected: String(cause) }))
}
