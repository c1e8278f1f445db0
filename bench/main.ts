/**
 * `npm run bench`: how fast mooring answers, side by side with the same bytes from bare servers
 * and with the SDKs. What is worth trusting are ratios within one run, and processor time for
 * one request.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { contenders, streamContenders } from './contenders/contenders.ts'
import { benchedMethods, toolCounts } from './load.ts'
import { measure, type MeasureOptions, type Measurement } from './measure.ts'
import { pinLoad } from './pinning.ts'
import { reportRows, reportTable, targetLines, targets } from './report.ts'
import { measureStreams } from './streams/measure-streams.ts'
import { streamTable, streamTargetLines, streamTargets } from './streams/stream-report.ts'

const usage = `npm run bench -- [options]

  --quick                    fewer, shorter rounds and fewer streams: about a minute
  --json <file>              writes all figures to a file
  --part requests|streams    only that part
  --tools <count>            requests: only with this many tools (5, 50 or 200)
  --rounds <count>           requests: this many rounds instead of 5
  --method <name>            requests: only tools/call or tools/list
  --only <name,...>          requests: only these besides mooring: ${contenders.slice(1).map(({ name }) => name).join(', ')}
  --profiles <folder>        writes a CPU profile of every contender; figures are then lower
`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    part: { type: 'string' },
    tools: { type: 'string' },
    method: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    profiles: { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})

/** Requests under way at a time. */
const connections = 16

async function main (): Promise<void> {
  const { profiles, part } = flags
  if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
  const run = { pinning: pinLoad(), profiles, tell: (text: string) => { process.stderr.write(`${text}\n`) } }
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, isPinned: run.pinning.isPinned }
  console.log(`Node ${machine.node}, ${machine.cores} x ${machine.cpu}, ${machine.isPinned ? 'servers and load each on a core of their own' : 'cores shared by servers and load'}`)

  const requests = part === 'streams' ? undefined : await measureRequests(run)
  const streams = part === 'requests' ? undefined : await measureListening(run)
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify({ machine, requests, streams }, null, 2)}\n`)
}

type Run = Pick<MeasureOptions, 'pinning' | 'profiles' | 'tell'>

async function measureRequests (run: Run): Promise<object> {
  const rounds = Number(flags.rounds ?? (flags.quick ? 2 : 5))
  const roundMs = flags.quick ? 150 : 300
  const only = flags.only?.split(',')
  const chosen = contenders.filter(({ name }) => name === 'mooring' || only === undefined || only.includes(name))
  const methods = benchedMethods.filter((method) => flags.method === undefined || method === flags.method)
  const measurements: Measurement[] = []
  for (const toolCount of toolCounts.filter((count) => flags.tools === undefined || count === Number(flags.tools))) {
    measurements.push(...await measure({ ...run, toolCount, methods, contenders: chosen, rounds, roundMs, connections }))
  }
  const rows = reportRows(measurements)
  console.log(`\nMedians of ${rounds} rounds of ${roundMs} ms with ${connections} connections.\n`)
  console.log(`${reportTable(rows, chosen)}\n\n${targetLines(rows)}`)
  return { rounds, roundMs, connections, targets, rows }
}

async function measureListening (run: Run): Promise<object> {
  const { streams, events } = flags.quick ? { streams: 1_000, events: 3 } : { streams: 5_000, events: 9 }
  const figures = await measureStreams({ ...run, contenders: streamContenders, streams, events })
  console.log(`\nMedians of ${events} events.\n`)
  console.log(`${streamTable(streams, figures)}\n\n${streamTargetLines(figures)}`)
  return { streams, events, targets: streamTargets, figures }
}

if (flags.help) console.log(usage)
else await main()
