import t from 'tap'
import { createServices, opening, type Service } from '../../src/runtime/services.ts'

function setup (faults: Readonly<Record<string, Error>> = {}) {
  const did: string[] = []
  const logged: object[] = []
  const service = (name: string): Service => ({
    name,
    async start () {
      did.push(`start ${name}`)
      if (faults[`start ${name}`] !== undefined) throw faults[`start ${name}`]
    },
    async stop () {
      did.push(`stop ${name}`)
      if (faults[`stop ${name}`] !== undefined) throw faults[`stop ${name}`]
    }
  })
  const log = { error: (facts: object) => { logged.push(facts) } }
  return { did, logged, log, service, services: createServices(['a', 'b', 'c'].map(service), log) }
}

t.test('services start in their order and stop in the reverse order', async (t) => {
  const { did, services } = setup()

  await services.start()
  await services.stop()

  t.same(did, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

t.test('when a start fails, what had begun to start is stopped before the error is told', async (t) => {
  const { did, services } = setup({ 'start b': new Error('no disk') })

  await t.rejects(services.start(), { message: 'no disk' })
  t.same(did, ['start a', 'start b', 'stop b', 'stop a'])

  await services.stop()
  t.equal(did.length, 4, 'and is not stopped again')
})

t.test('what fails to stop after a failed start is logged, and the error of the start is told', async (t) => {
  const fault = new Error('stuck')
  const { logged, services } = setup({ 'start c': new Error('no disk'), 'stop a': fault })

  await t.rejects(services.start(), { message: 'no disk' })

  t.same(logged, [{ err: fault, service: 'a' }])
})

t.test('a service that does not stop keeps no other one from stopping', async (t) => {
  const one = setup({ 'stop b': new Error('stuck') })
  await one.services.start()
  await t.rejects(one.services.stop(), { message: 'stuck' })
  t.same(one.did.slice(3), ['stop c', 'stop b', 'stop a'])

  const two = setup({ 'stop c': new Error('stuck'), 'stop a': new Error('lost') })
  await two.services.start()
  await t.rejects(two.services.stop(), { errors: [{ message: 'stuck' }, { message: 'lost' }] })
})

t.test('services that never started have nothing to stop; stopping twice is stopping once', async (t) => {
  const { did, services } = setup()
  await services.stop()
  t.same(did, [])
  await t.rejects(services.start(), { message: 'stopped before the start was over' })
  t.same(did, [])

  const started = setup()
  await started.services.start()
  await Promise.all([started.services.stop(), started.services.stop()])
  t.equal(started.did.length, 6)
})

t.test('a stop during the start tells the service that starts, waits for it, and starts nothing more', async (t) => {
  const { did, log, service } = setup()
  let begun: () => void = () => {}
  const hasBegun = new Promise<void>((resolve) => { begun = resolve })
  const slow: Service = {
    name: 'slow',
    async start (signal) {
      begun()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      did.push('slow has noticed')
    },
    async stop () { did.push('stop slow') }
  }
  const services = createServices([service('a'), slow, service('c')], log)
  const start = services.start()
  await hasBegun

  await Promise.all([services.stop(), t.rejects(start, { message: 'stopped before the start was over' })])

  t.same(did, ['start a', 'slow has noticed', 'stop slow', 'stop a'])
})

t.test('what a service opens is there from its start on, and only what was opened is closed', async (t) => {
  const closed: string[] = []
  const close = async ({ name }: { readonly name: string }): Promise<void> => { closed.push(name) }
  const { signal } = new AbortController()
  const store = opening({ name: 'store', open: () => ({ name: 'opened' }), close })

  t.throws(() => store.opened, { message: 'store: not started' })
  await store.start(signal)
  t.equal(store.opened.name, 'opened')
  await store.stop()
  t.same(closed, ['opened'])

  const broken = opening({ name: 'broken', open: async (): Promise<{ name: string }> => { throw new Error('no disk') }, close })
  await t.rejects(broken.start(signal), { message: 'no disk' })
  await broken.stop()
  t.same(closed, ['opened'])
})
