import { z } from 'zod'
import { quote, word } from '../text/quote.ts'
import { actionOutput } from './action-output.ts'
import { agreementQuestion, ensureAgreed } from './asking.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { leaseInput, observeInput, type ObserveInput } from './lease-input.ts'
import { defineTool, type ToolCall, type ToolDefinition, type ToolOutput } from './tool-definition.ts'
import { ConfirmationRequiredRefusal } from './tool-refusals.ts'
import { createKeyedTurns } from './turns.ts'

/** The tool that erases a phone without giving it back. */
export function createResetTools (
  { uses, choice, clock, scheduler }: Pick<DeviceToolParts, 'uses' | 'choice' | 'clock' | 'scheduler'>
): ToolDefinition[] {
  const turns = createKeyedTurns(clock)

  const resetDevice = defineTool({
    name: 'resetDevice',
    title: 'Reset a device',
    description:
      'Erases the phone behind your lease: stops all apps, deletes their data, undoes every change. You keep the lease. ' +
      'Your user is asked to confirm. Returns the home screen.',
    input: z.strictObject({
      lease: leaseInput,
      confirm: z.boolean().default(false).describe('Only counts where the user cannot be asked'),
      observe: observeInput
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    asks: true,
    async run ({ lease: named, confirm, observe }, call) {
      // A phone that would be taken for this call has nothing to erase.
      const handle = await choice.find(named, call)
      for (;;) {
        // Whose lease it is comes first, and the lease is not held up while the user thinks.
        const { id, model, moment } = await phoneOf(handle, call)
        const what = `resetting ${word(id)}`
        const answer = await call.tryAsk(`confirm ${id} ${moment}`, agreementQuestion({
          message: `Reset ${word(id)} (${quote(model, 60)})? All apps on it are stopped and everything in them is deleted.`,
          title: 'Delete everything on this phone'
        }))
        if (answer !== undefined) ensureAgreed(answer, what)
        else if (!confirm) throw new ConfirmationRequiredRefusal(what)

        const output = await turns.take(handle, call, async () => {
          const isAsAsked = answer === undefined || (await phoneOf(handle, call)).moment === moment
          return isAsAsked ? await reset({ handle, call, id, observe }) : undefined
        })
        if (output !== undefined) return output
      }
    }
  })

  /**
   * The phone behind a lease, and the moment in its use that an agreement is for. A user agrees to
   * erase the phone as it is. What was done on it since was not asked about, and an answer that is
   * sent twice erases once: the first reset is such an action. A session key that stands for another
   * lease by the time of the answer was not asked about either.
   */
  async function phoneOf (handle: string, call: ToolCall): Promise<{ readonly id: string, readonly model: string, readonly moment: string }> {
    return await uses.reading({ handle, call }, async ({ driver: { description: { id, model } }, lease: { fence, lastControlAtMs } }) =>
      ({ id, model, moment: `${fence}.${lastControlAtMs}` }))
  }

  async function reset ({ handle, call, id, observe }: { handle: string, call: ToolCall, id: string, observe: ObserveInput }): Promise<ToolOutput> {
    return await uses.acting({ handle, call }, async (use) => {
      const cleaned = await use.driver.restoreHome(use.command)
      return await actionOutput({ scheduler }, use, {
        done: `Reset ${word(id)}; it is still yours. Done: ${cleaned.length === 0 ? 'nothing, it was as new' : cleaned.map((phrase) => quote(phrase, 200)).join(', ')}.`,
        facts: { device: id, cleaned },
        observe,
        before: undefined
      })
    })
  }

  return [resetDevice]
}
