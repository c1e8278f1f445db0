import fc from 'fast-check'
import t from 'tap'
import { listNames, principalTopic, type Change, type ListName, type Topic } from '../../src/events/event-bus.ts'
import { listenBench, type ListenBench } from '../support/listen-bench.ts'
import { recordedStream, type RecordedStream } from '../support/recorded-stream.ts'

const subjects = ['ada', 'bob'] as const
const publicUris = ['note:1', 'device:1'] as const
const privateUris = ['screen:ada', 'screen:bob'] as const
const uris = [...publicUris, ...privateUris, 'nowhere:1'] as const
const stepMs = 50
const restMs = 250

type Subject = (typeof subjects)[number]

/** Where changes of a resource are published; undefined when it is not there for the subject. */
function topicFor (uri: string, subject: string): Topic | undefined {
  switch (uri) {
    case 'note:1': return 'global'
    case 'device:1': return 'device:1'
    case `screen:${subject}`: return topicOf(subject)
    default: return undefined
  }
}

const topicOf = (subject: string): Topic => principalTopic(`test\0${subject}`)

type Step =
  | { readonly do: 'open', readonly subject: Subject, readonly lists: readonly ListName[], readonly uris: readonly string[] }
  | { readonly do: 'vanish', readonly which: number }
  | { readonly do: 'publish', readonly topic: Topic, readonly change: Change }
  | { readonly do: 'pass', readonly steps: number }

const change: fc.Arbitrary<Change> = fc.oneof(
  // Often the same, or there would be no bursts.
  fc.constant<Change>({ type: 'list', list: 'tools' }),
  fc.constantFrom(...listNames).map((list): Change => ({ type: 'list', list })),
  fc.constantFrom(...uris).map((uri): Change => ({ type: 'resource', uri }))
)
// Any change on any topic: a publisher that errs must not get through to the wrong ones either.
const topic = fc.oneof(fc.constant<Topic>('global'), fc.constantFrom<Topic>('global', 'device:1', 'device:2', ...subjects.map(topicOf)))

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('open' as const), subject: fc.constantFrom(...subjects), lists: fc.subarray([...listNames]), uris: fc.subarray([...uris]) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('vanish' as const), which: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('publish' as const), topic, change }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), steps: fc.nat(8) }) }
)

interface Watched {
  readonly subject: Subject
  readonly asked: { readonly lists: readonly ListName[], readonly uris: readonly string[] }
  readonly output: RecordedStream
  /** When each message came. */
  readonly atMs: number[]
  /** What was published while it was open. */
  readonly published: Array<{ readonly atMs: number, readonly topic: Topic, readonly change: Change }>
}

/** Does the steps, and lets everything settle. */
async function play (bench: ListenBench, steps: readonly Step[]): Promise<readonly Watched[]> {
  const streams: Watched[] = []
  const nowMs = (): number => bench.time.clock.monotonicMs()

  for (const step of [...steps, { do: 'pass', steps: 12 } as const]) {
    switch (step.do) {
      case 'open': {
        const output = recordedStream()
        const atMs: number[] = []
        streams.push({ subject: step.subject, asked: step, output, atMs, published: [] })
        const timed = Object.create(output, { send: { value: (message: string) => { atMs.push(nowMs()); output.send(message) } } }) as RecordedStream
        await bench.open({ id: streams.length, subject: step.subject, lists: step.lists, uris: step.uris, output: timed })
        break
      }
      case 'vanish': {
        const stream = streams[step.which]
        if (stream?.output.isOpen === true) stream.output.vanish()
        break
      }
      case 'publish':
        for (const { output, published } of streams) {
          if (output.isOpen) published.push({ atMs: nowMs(), topic: step.topic, change: step.change })
        }
        bench.bus.publish(step.topic, step.change)
        break
      case 'pass':
        for (let passed = 0; passed <= step.steps; passed++) await bench.pass(passed === 0 ? 0 : stepMs)
    }
  }
  return streams
}

const methodOf = (change: Change): string => change.type === 'list' ? `notifications/${change.list}/list_changed` : 'notifications/resources/updated'

/** Whether the stream asked for the change and may hear of it from there. */
function concerns ({ subject, asked }: Watched, topic: Topic, change: Change): boolean {
  return change.type === 'list'
    ? asked.lists.includes(change.list) && (topic === 'global' || topic === topicOf(subject))
    : asked.uris.includes(change.uri) && topicFor(change.uri, subject) === topic
}

t.test('no stream ever gets what it did not ask for or what is another principal\'s; it gets all the rest in time, and not in bursts', async (t) => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
    const bench = listenBench({
      find: async (uri, subject) => {
        const topic = topicFor(uri, subject)
        return topic && { uri, topic }
      }
    })

    const streams = await play(bench, steps)

    for (const [index, stream] of streams.entries()) {
      const { subject, asked, output, atMs, published } = stream
      const [acknowledgement, ...told] = output.messages
      const honoured = asked.uris.filter((uri) => topicFor(uri, subject) !== undefined)
      t.strictSame(acknowledgement.params.notifications, {
        ...Object.fromEntries(asked.lists.map((list) => [`${list}ListChanged`, true])),
        ...(honoured.length === 0 ? {} : { resourceSubscriptions: honoured })
      })
      const relevant = published.filter(({ topic, change }) => concerns(stream, topic, change))
      const lastAtMs = new Map<string, number>()

      for (const [position, message] of told.entries()) {
        if ('result' in message) continue
        const sentMs = atMs[position + 1] ?? NaN
        const kind = `${String(message.method)} ${String(message.params.uri)}`
        t.equal(message.params._meta['io.modelcontextprotocol/subscriptionId'], index + 1)
        const since = lastAtMs.get(kind) ?? -Infinity
        if (!relevant.some(({ atMs, change }) => methodOf(change) === message.method && (change.type === 'list' || change.uri === message.params.uri) && atMs <= sentMs && atMs >= since)) {
          throw new Error(`${kind} came without a cause`)
        }
        if (sentMs - since < restMs) throw new Error(`${kind} came twice within ${restMs} ms`)
        lastAtMs.set(kind, sentMs)
      }

      if (!output.isOpen) continue
      for (const { atMs: publishedMs, change } of relevant) {
        const isTold = told.some((message, position) => message.method === methodOf(change) && (change.type === 'list' || change.uri === message.params.uri) &&
          (atMs[position + 1] ?? NaN) >= publishedMs && (atMs[position + 1] ?? NaN) <= publishedMs + restMs + stepMs)
        if (!isTold) throw new Error(`nobody told stream ${index + 1} of ${methodOf(change)}`)
      }
    }

    const open = streams.filter(({ output }) => output.isOpen)
    t.equal(bench.registry.streams, open.length)
    for (const { output } of open) output.vanish()
    t.same([bench.registry.streams, bench.registry.uris, bench.topics(), bench.time.timers()], [0, 0, [], 0])
  }), { numRuns: 200 })
})
