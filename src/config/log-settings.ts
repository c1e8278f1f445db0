import { z } from 'zod'

/** What goes to the log: JSON lines on stderr. */
export const logSettings = z.strictObject({
  level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info')
    .describe('The least important entries that are written to the log, which is JSON lines on stderr.')
})

export type LogSettings = Readonly<z.output<typeof logSettings>>
