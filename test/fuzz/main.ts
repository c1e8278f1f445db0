/** `npm run fuzz -- --seconds 600 --seed 1`: every property for its share of the time, then the next round with the next seed. */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { bothSides } from '../oracle/both-sides.ts'
import { changedCall, validCall } from '../oracle/calls.ts'
import { compare } from '../oracle/compare.ts'
import { histories } from '../leases/model/histories.ts'
import { appProperties } from './app-properties.ts'
import { deviceProperties } from './device-properties.ts'
import { asyncProperty, meter, type FuzzProperty } from './fuzz-property.ts'
import { listProperties } from './list-properties.ts'
import { protocolProperties } from './protocol-properties.ts'
import { sealedProperties } from './sealed-properties.ts'
import { socketProperties } from './socket-properties.ts'
import { startSocketTarget } from './socket-target.ts'
import { longestStallMs, mostGrowthBytes } from './work-meter.ts'

const usage = 'npm run fuzz -- [--seconds N] [--seed S]: every property in turn for N seconds (60), from the whole number S (1) on'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
  strict: false
})
const seconds = Number(values['seconds'])
const firstSeed = Number(values['seed'])
if (values['help'] === true || !(seconds > 0) || !Number.isInteger(firstSeed)) {
  console.log(usage)
  process.exit(values['help'] === true ? 0 : 2)
}

meter.allow(longestStallMs)

const closings: Array<() => unknown> = []
const owner = { teardown: (closing: () => unknown) => { closings.push(closing) } }

const put = await bothSides(owner)
const oracle = asyncProperty('the SDK\'s handler answers alike, but for the reasoned differences', 0, [fc.oneof(validCall, changedCall)], async (call) => {
  const { ours, theirs } = await put(call)
  const verdict = compare(call, ours, theirs)
  if (!verdict.ok) throw new Error(`${JSON.stringify(call)}\n  ours     ${JSON.stringify(ours)}\n  expected ${JSON.stringify(verdict.expected)}`)
})
const properties: readonly FuzzProperty[] = [...protocolProperties, ...listProperties, ...sealedProperties, ...appProperties, ...socketProperties(await startSocketTarget(owner)), ...await deviceProperties(owner), histories(), oracle]

/** Short, so that every property has its turn early. Rounds follow until the time is over. */
const shareMs = Math.max(1_000, Math.min(5_000, seconds * 1_000 / properties.length))
const endAtMs = performance.now() + seconds * 1_000
const failed = new Set<FuzzProperty>()

async function attempt (property: FuzzProperty, seed: number, extent: fc.Parameters<unknown>): Promise<void> {
  const { name, assert } = property
  try {
    await assert({ seed, ...extent })
    console.log(`ok      seed ${seed}  ${name}`)
  } catch (error) {
    failed.add(property)
    console.error(`FAILED  seed ${seed}  ${name}\n${error instanceof Error ? error.message : String(error)}\n${error instanceof Error && error.cause instanceof Error ? error.cause.message : ''}`)
  }
}

// What is compiled and pooled once has been by then.
for (const property of properties) await attempt(property, firstSeed, { numRuns: 3 })
meter.settle()

for (let seed = firstSeed; performance.now() < endAtMs; seed++) {
  for (const property of properties) {
    if (seed > firstSeed && performance.now() >= endAtMs) break
    // What is tried once, such as whether the server is sound, may wait for what went before.
    await attempt(property, seed, property.numRuns === 1
      ? { numRuns: 1 }
      : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: shareMs, markInterruptAsFailure: false })
  }
  meter.settle()
}

for (const closing of closings.reverse()) await closing()
const longest = meter.longest()
const { left, peak, peakAt } = meter.growth()
const isQuick = longest.ms <= longestStallMs
const isSmall = Math.max(left, peak) <= mostGrowthBytes
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`
console.log(`${isQuick ? 'ok      ' : 'FAILED  '}longest stall of the loop: ${Math.round(longest.ms)} ms of processor time (${longestStallMs} at most), in: ${longest.what}`)
console.log(`${isSmall ? 'ok      ' : 'FAILED  '}growth of memory: ${megabytes(left)} left, ${megabytes(peak)} at the highest (${megabytes(mostGrowthBytes)} at most), in: ${peakAt}`)
console.log(`${properties.length - failed.size} passed, ${failed.size} failed`)
process.exitCode = failed.size === 0 && isQuick && isSmall ? 0 : 1
