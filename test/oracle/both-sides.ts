import { Agent } from 'node:http'
import type { Test } from 'tap'
import { startTestApp } from '../support/start-test-app.ts'
import { ask, type Answer } from './answer.ts'
import type { Call } from './calls.ts'
import { fixture } from './fixture.ts'
import { startSdkServer } from './sdk-server.ts'

/** Serves the fixture twice, and puts each call to both. */
export async function bothSides (t: Pick<Test, 'teardown'>): Promise<(call: Call) => Promise<{ ours: Answer, theirs: Answer }>> {
  const { port, token } = await startTestApp(t, { offer: () => fixture })
  const sdkPort = await startSdkServer(t)
  const authorization = `Bearer ${await token()}`
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const
  t.teardown(() => { for (const agent of agents) agent.destroy() })
  return async (call) => ({ ours: await ask(port, agents[0], call, { authorization }), theirs: await ask(sdkPort, agents[1], call) })
}
