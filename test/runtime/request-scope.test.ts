import t from 'tap'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { currentScope, noteDevice, outsideScopes, runInScope, runOutsideScopes, traceLogFields } from '../../src/runtime/request-scope.ts'

const scopeOf = (traceId: string) => ({ traceId, spanId: undefined, peer: undefined })

t.test('requests that run beside each other never see each other\'s trace', async (t) => {
  const seen = await Promise.all(Array.from({ length: 20 }, async (_, index) => await runInScope(scopeOf(String(index)), async () => {
    const traces: Array<string | undefined> = []
    for (let step = 0; step <= index; step++) {
      await Promise.resolve()
      traces.push(traceLogFields().trace_id)
    }
    return traces
  })))

  for (const [index, traces] of seen.entries()) t.ok(traces.every((trace) => trace === String(index)))
  t.same(traceLogFields(), {}, 'and outside of them there is none')
})

t.test('a timer that a request sets belongs to no request', async (t) => {
  const scheduler = outsideScopes(systemScheduler)
  const seen: Array<object | undefined> = []

  const [once, repeated] = await runInScope(scopeOf('a'), async () => {
    const waits = [
      new Promise<void>((resolve) => { scheduler.after(0, () => { seen.push(currentScope()); resolve() }) }),
      new Promise<void>((resolve) => {
        const cancel = scheduler.every(1, () => { seen.push(currentScope()); cancel(); resolve() })
      })
    ]
    // A process with no other work would end before timers that do not keep it.
    const alive = setImmediateForever()
    await Promise.all(waits)
    alive()
    return [traceLogFields(), runOutsideScopes(traceLogFields)]
  })

  t.same(seen, [undefined, undefined])
  t.same(once, { trace_id: 'a' }, 'whoever waited for it is still where it was')
  t.same(repeated, {})
})

t.test('a device is noted for the request at hand, and for nothing where there is none', async (t) => {
  const noted: string[] = []

  runInScope({ ...scopeOf('a'), noteDevice: (id) => { noted.push(id) } }, () => noteDevice('phone-1'))
  noteDevice('phone-2')

  t.same(noted, ['phone-1'])
})

function setImmediateForever (): () => void {
  let running = true
  const turn = (): void => { if (running) setImmediate(turn) }
  turn()
  return () => { running = false }
}
