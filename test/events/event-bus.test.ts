import t from 'tap'
import { createEventBus, principalTopic, type Change } from '../../src/events/event-bus.ts'
import { collectingLog } from '../support/collecting-log.ts'

const toolsChanged: Change = { type: 'list', list: 'tools' }

t.test('a change reaches those who listen to its topic now, and nobody else', (t) => {
  const bus = createEventBus({ log: collectingLog() })
  const heard: string[] = []
  bus.publish('global', toolsChanged)
  const cancel = bus.subscribe('global', () => { heard.push('first') })
  bus.subscribe('global', () => { heard.push('second') })
  bus.subscribe('device:a', () => { heard.push('device') })

  bus.publish('global', toolsChanged)
  cancel()
  cancel()
  bus.publish('global', toolsChanged)

  t.same(heard, ['first', 'second', 'second'])
  t.end()
})

t.test('a listener that fails harms neither the publisher nor the others, and goes to the log', (t) => {
  const log = collectingLog()
  const bus = createEventBus({ log })
  const heard: Change[] = []
  bus.subscribe('task:1', () => { throw new Error('no') })
  bus.subscribe('task:1', (change) => { heard.push(change) })

  bus.publish('task:1', toolsChanged)

  t.same(heard, [toolsChanged])
  t.match(log.entries, [{ facts: { topic: 'task:1', err: { message: 'no' } } }])
  t.end()
})

t.test('listening again after the last one has left works', (t) => {
  const bus = createEventBus({ log: collectingLog() })
  let heard = 0
  const cancel = bus.subscribe('global', () => {})
  cancel()
  bus.subscribe('global', () => { heard++ })
  cancel()

  bus.publish('global', toolsChanged)

  t.equal(heard, 1)
  t.end()
})

t.test('the topic of a principal tells principals apart and does not show who it is', (t) => {
  t.not(principalTopic('issuer\0ada'), principalTopic('issuer\0bob'))
  t.equal(principalTopic('issuer\0ada'), principalTopic('issuer\0ada'))
  t.notMatch(principalTopic('issuer\0ada'), /ada|issuer/)
  t.end()
})
