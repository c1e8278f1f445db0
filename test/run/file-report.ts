import { z } from 'zod'

/** The descriptor through which a process says how its files fare. What was written there before a crash can be read. */
export const reportDescriptor = 3

const failure = z.object({
  /** The names of the tests around it, and its own. */
  name: z.string(),
  /** What tap says about it, as text. */
  details: z.string()
})

export const reportLine = z.discriminatedUnion('event', [
  z.object({ event: z.literal('began'), file: z.string() }),
  z.object({
    event: z.literal('ended'),
    file: z.string(),
    passed: z.number(),
    skipped: z.number(),
    failures: z.array(failure),
    ms: z.number()
  }),
  /** The file waits, and nothing is left that could end that. */
  z.object({ event: z.literal('waits in vain') })
])

export type ReportLine = z.output<typeof reportLine>
export type Failure = z.output<typeof failure>
/** What became of one file. */
export type FileResult = Extract<ReportLine, { event: 'ended' }>
