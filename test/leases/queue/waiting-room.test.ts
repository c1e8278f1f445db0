import t from 'tap'
import { createLine } from '../../../src/leases/queue/acquire-queue.ts'
import { createWaitingRoom } from '../../../src/leases/queue/waiting-room.ts'
import { manualTime } from '../../support/manual-time.ts'
import { lineDevice, lineRequest, settings } from './queue-bench.ts'

t.test('a walk that breaks off is told to who came, who is not served afterwards, and the next walk goes on', async (t) => {
  const line = createLine(settings)
  const { clock, scheduler } = manualTime()
  const served: string[] = []
  let isBroken = true
  const room = createWaitingRoom({
    line: {
      ...line,
      walk (...pool) {
        if (isBroken) throw new Error('broken')
        return line.walk(...pool)
      }
    },
    devices: () => [lineDevice('p1')],
    scheduler,
    nowMs: clock.nowMs,
    log: { info () {}, warn () {}, error () {} },
    limits: { maxWaiting: 10 },
    leasesOf: () => 0,
    async grant ({ request }) {
      served.push(request.id)
      return []
    },
    takeBack: async () => undefined,
    noneFree: () => new Error('none free'),
    obstacle: () => undefined
  })
  const guest = (id: string) => ({
    request: lineRequest(id), purpose: undefined, waitMs: 1_000, signal: new AbortController().signal, onWaiting: undefined
  })

  await t.rejects(room.enter(guest('a')), /^broken$/)
  isBroken = false
  await room.enter(guest('b'))

  t.same(served, ['b'])
  t.same(room.list(), [])
})
