/**
 * A process that runs test files one after the other, so that they share what takes long to load.
 *
 *   node dist/test/run/one-process.js <file>...
 */
const files = process.argv.splice(2)
// tap makes folder names of the arguments, which must be gone when it is loaded.
const { runInTurn } = await import('./run-in-turn.ts')
await runInTurn(files)
// A file that has left something running has failed for it. The others need not wait for that to end.
process.exit(0)
