/**
 * `npm run demo`: a gateway, an agent and a phone, with nothing between them but MCP.
 * With `--legacy` the agent speaks MCP 2025-11-25; `--out` names the folder for screenshots.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectAgent } from './agent.ts'
import { startGateway } from './gateway.ts'
import { watchForInterruption } from './interruption.ts'
import { runStory, type Step } from './story.ts'

const { values: { legacy, out } } = parseArgs({
  options: { legacy: { type: 'boolean', default: false }, out: { type: 'string', default: 'demo-screenshots' } }
})

const step: Step = async (title, work) => {
  const startedMs = performance.now()
  const result = await work()
  console.log(`  ${(performance.now() - startedMs).toFixed(0).padStart(5)} ms  ${title}`)
  return result
}

const interruption = watchForInterruption()
try {
  await runDemo()
} catch (error) {
  if (interruption.exitCode === undefined) throw error
  // What the story was doing is of no interest any more.
  process.exit(interruption.exitCode)
}

async function runDemo (): Promise<void> {
  const gateway = await step('start a gateway', async () => await startGateway({ signal: interruption.signal }))
  try {
    await Promise.race([showTheStory(gateway), interruption.happened])
  } finally {
    await gateway.stop()
  }
}

async function showTheStory ({ url, token }: { readonly url: string, readonly token: string }): Promise<void> {
  const agent = await step('connect', async () => await connectAgent({ url, token, legacy, pictures: resolve(out) }))
  console.log(`            ${url}, MCP ${agent.protocolVersion}`)
  try {
    const files = await runStory(agent, step)
    console.log(`\nThe agent did what it came for. What it saw:\n${files.map((file) => `  ${file}`).join('\n')}`)
  } finally {
    await agent.close()
  }
}
