import { z } from 'zod'

/** The argument every device-bound tool takes. */
export const leaseInput = z.string().min(1).max(64).optional().describe('Handle from acquireDevice; needless with a session key')

/** Whether an acting tool answers with the screen that follows. */
export const observeInput = z.enum(['none', 'lines', 'full']).default('lines').describe('How to return the screen that follows')
export type ObserveInput = z.output<typeof observeInput>
