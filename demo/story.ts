import type { Agent } from './agent.ts'

/** Runs one step of the story, telling what it is and how long it took. */
export type Step = <T>(title: string, work: () => Promise<T>) => Promise<T>

/**
 * The main job, as an agent does it: take a phone, sign in to an app, reach a detail screen,
 * check what it says, and give the phone back, also when something goes wrong on the way.
 *
 * @returns the screenshots that were saved
 */
export async function runStory (agent: Agent, step: Step): Promise<readonly string[]> {
  const pictures: string[] = []
  const lease = await step('acquire a phone', async () => {
    const { data } = await agent.call('acquireDevice', { purpose: 'the demo' })
    if (typeof data['lease'] !== 'string') throw new Error('acquireDevice gave no lease')
    return data['lease']
  })
  try {
    await useTheApp(agent, step, lease, pictures)
  } finally {
    await step('give the phone back', async () => await agent.call('releaseDevice', { lease }))
  }
  return pictures
}

async function useTheApp (agent: Agent, step: Step, lease: string, pictures: string[]): Promise<void> {
  const picture = async (name: string): Promise<void> => {
    pictures.push(await step(`screenshot ${name}`, async () => await agent.screenshot(lease, name)))
  }
  /** Calls a tool and checks what the screen it returns says. */
  const act = async (title: string, tool: string, args: Record<string, unknown>, expected: string): Promise<void> => {
    const { text } = await step(title, async () => await agent.call(tool, { lease, ...args }))
    expectText(text, expected)
  }

  await act('look at the home screen', 'observe', {}, 'Field Notes')
  await picture('1-home')
  await act('start Field Notes', 'launchApp', { app: 'com.example.fieldnotes' }, 'Sign in')
  await act('type the e-mail address', 'inputText', { text: 'ada@example.com', into: { text: 'E-mail' } }, 'ada@example.com')
  await act('type a wrong password', 'inputText', { text: 'babbage', into: { text: 'Password' }, submit: true }, 'E-mail or password is wrong.')
  await picture('2-refused')
  await act('type the right password', 'inputText', { text: 'lovelace', into: { text: 'Password' } }, 'Password')
  await act('tap Sign in', 'tapOn', { target: { text: 'Sign in', role: 'button' } }, 'Heron at the north pier')
  await picture('3-notes')
  await act('open the second note', 'tapOn', { target: { text: 'Seal count' } }, 'Seven seals on the sandbank. One tagged 1142.')
  await picture('4-detail')
}

function expectText (screen: string, expected: string): void {
  if (!screen.includes(expected)) throw new Error(`the screen does not say ${JSON.stringify(expected)}:\n${screen}`)
}
