import { z } from 'zod'
import { quote, word } from '../text/quote.ts'
import { actionOutput } from './action-output.ts'
import { agreementQuestion, ensureAgreed } from './asking.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { leaseInput, observeInput } from './lease-input.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'
import { ConfirmationRequiredRefusal } from './tool-refusals.ts'

/** The tool that erases a phone without giving it back. */
export function createResetTools ({ uses, choice, scheduler }: Pick<DeviceToolParts, 'uses' | 'choice' | 'scheduler'>): ToolDefinition[] {
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
      // Whose lease it is comes first, and the lease is not held up while the user thinks.
      const { id, model, fence } = await uses.reading({ handle, call }, async ({ driver, lease }) => ({ ...driver.description, fence: lease.fence }))
      const what = `resetting ${word(id)}`

      // A session key can stand for another lease when the answer comes, and that one was not asked about.
      const question = named === undefined ? `confirm ${id} ${fence}` : 'confirm'
      const answer = await call.tryAsk(question, agreementQuestion({
        message: `Reset ${word(id)} (${quote(model, 60)})? All apps on it are stopped and everything in them is deleted.`,
        title: 'Delete everything on this phone'
      }))
      if (answer !== undefined) ensureAgreed(answer, what)
      else if (!confirm) throw new ConfirmationRequiredRefusal(what)

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
  })

  return [resetDevice]
}
