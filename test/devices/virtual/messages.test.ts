import t from 'tap'
import { randomIds } from '../../../src/runtime/ids.ts'
import { createExchange } from '../../../src/devices/virtual/exchange.ts'
import { manualTime } from '../../support/manual-time.ts'
import { asItWas, command, phoneBench, type PhoneBench } from './phone-bench.ts'

const messenger = 'com.example.messenger'

function setup () {
  const exchange = createExchange(randomIds)
  const time = manualTime(Date.UTC(2026, 0, 1))
  return { exchange, alice: phoneBench({ exchange, time }), bob: phoneBench({ exchange, time, platform: 'ios' }) }
}

async function numberOf (bench: PhoneBench): Promise<string> {
  await bench.driver.launchApp(messenger, { clearData: false, restart: true }, command)
  return (await bench.find('own_number')).text ?? ''
}

async function write (bench: PhoneBench, to: string, text: string): Promise<void> {
  await bench.driver.launchApp(messenger, { clearData: false, restart: true }, command)
  await bench.tapOn('number')
  await bench.type(to)
  await bench.tapOn('open_chat')
  await bench.tapOn('message')
  await bench.type(text)
  await bench.tapOn('send')
}

t.test('a message reaches the phone whose number was given, and the answer comes back', async (t) => {
  const { alice, bob } = setup()
  const number = await numberOf(bob)

  await write(alice, number, 'Low tide at six')
  t.ok(await bob.isShown(`New message from ${await numberOf(alice)}`))
  t.ok(await bob.isShown('Low tide at six'))
  await write(bob, (await numberOf(alice)).replaceAll(' ', ''), 'I will be there')

  await alice.driver.launchApp(messenger, { clearData: false, restart: true }, command)
  t.ok(await alice.isShown('I will be there'))
})

t.test('a message that comes in while the app does not run is there when it is opened, and starts nothing', async (t) => {
  const { alice, bob } = setup()
  const number = await numberOf(bob)
  await bob.driver.terminateApp(messenger, command)

  await write(alice, number, 'Hello')

  t.equal((await bob.driver.listApps(command)).find(({ id }) => id === messenger)?.running, false)
  t.equal((await bob.driver.observe(command)).app, null)
  await bob.driver.launchApp(messenger, asItWas, command)
  t.ok(await bob.isShown('Hello'))
})

t.test('nothing reaches a phone by a number that it had: made as new, closed, or under another lease', async (t) => {
  for (const end of [
    async ({ driver }: PhoneBench) => { await driver.restoreHome(command) },
    async ({ driver }: PhoneBench) => { await driver.observe({ ...command, fence: 2 }) },
    async ({ driver }: PhoneBench) => { await driver.close() }
  ]) {
    const { alice, bob } = setup()
    const number = await numberOf(bob)
    await end(bob)

    await write(alice, number, 'Are you still there?')

    t.ok(await alice.isShown('problem'))
    t.match((await alice.find('problem')).text, /No phone has this number/)
  }
})

t.test('a message that waits is lost with the lease that it was sent to', async (t) => {
  const { alice, bob } = setup()
  await write(alice, await numberOf(bob), 'For the holder of then')

  const next = { ...command, fence: 2 }
  await bob.driver.launchApp(messenger, asItWas, next)

  t.notMatch(JSON.stringify((await bob.driver.observe(next)).root), /holder of then/)
})

t.test('a holder whose lease is over cannot send under the number of the next one', async (t) => {
  const { exchange } = setup()
  const got: unknown[] = []
  const line = exchange.connect(() => false)
  const other = exchange.connect((message) => { got.push(message); return true })
  line.end()

  t.equal(line.send(other.number, { app: messenger, content: 'x' }), false)
  t.same(got, [])
})

t.test('a phone without a network sends nothing, and receives when it has one again', async (t) => {
  const { alice, bob } = setup()
  const number = await numberOf(bob)
  await bob.driver.setNetwork({ airplane: true }, command)
  await write(alice, number, 'Wait for me')

  t.equal(await bob.isShown('Wait for me'), false)
  await bob.driver.setNetwork({ airplane: false }, command)
  t.ok(await bob.isShown('Wait for me'))
  await bob.driver.setNetwork({ airplane: true }, command)
  await write(bob, await numberOf(alice), 'Not now')
  t.ok(await bob.isShown('problem'))
})

t.test('a phone takes only so many messages before it is looked at', async (t) => {
  const { exchange, bob } = setup()
  const number = await numberOf(bob)
  const line = exchange.connect(() => false)
  const sendAll = (count: number): boolean[] => Array.from({ length: count }, (_, index) => line.send(number, { app: messenger, content: `message ${index}` }))

  const taken = sendAll(130)

  t.equal(taken.filter(Boolean).length, 100)
  t.same(taken.slice(100), Array.from({ length: 30 }, () => false))
  await bob.observe()
  t.same(sendAll(1), [true])
})

t.test('phones of two exchanges do not reach each other', async (t) => {
  const [{ alice }, { bob }] = [setup(), setup()]

  await write(alice, await numberOf(bob), 'Anybody?')

  t.ok(await alice.isShown('problem'))
})
