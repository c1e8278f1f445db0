import { z } from 'zod'
import { defaultView, elementData, viewScreen } from '../devices/screen/screen-view.ts'
import { elementName } from '../devices/screen/screen-lines.ts'
import { describeSelector } from '../devices/screen/selector.ts'
import type { DeviceToolParts } from './device-tool-parts.ts'
import { leaseInput } from './lease-input.ts'
import { selectorInput, wantedText } from './selector-input.ts'
import { defineTool, type ToolDefinition } from './tool-definition.ts'
import { awaitedStates, waitUntil } from './wait-until.ts'

/** More than the look takes that is under way when the time is over. */
const longestLookMs = 60_000

/** Tools that wait for a phone. */
export function createWaitTools ({ uses, clock, scheduler }: Pick<DeviceToolParts, 'uses' | 'clock' | 'scheduler'>): ToolDefinition[] {
  const waitFor = defineTool({
    name: 'waitFor',
    title: 'Wait for the screen',
    description:
      'Waits until an element is visible, gone, enabled, checked or says a text, and returns the screen of that moment. ' +
      'Use it instead of observing again and again. Refuses with `timeout` and the last screen when it takes longer.',
    input: z.strictObject({
      lease: leaseInput,
      for: selectorInput,
      state: z.enum(awaitedStates).default('visible'),
      text: wantedText.optional().describe('With state `text`: what the element has to say'),
      timeoutMs: z.int().min(0).max(120_000).default(10_000),
      pollMs: z.int().min(50).max(5_000).default(300)
    }).refine(({ state, text }) => (state === 'text') === (text !== undefined), { error: 'Give `text` with state `text`, and only then.' }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    reports: true,
    run ({ lease: handle, for: selector, state, text, timeoutMs, pollMs }, call) {
      const { progress, log } = call
      return uses.reading({ handle, call, limitMs: timeoutMs + longestLookMs }, async (use) => {
        const { screen, element, waitedMs, wasSeen } = await waitUntil(
          { clock, scheduler }, use, { selector, state, text }, { timeoutMs, pollMs, progress, log, noteWait: (ms) => call.noteWait(ms) }
        )
        const { lines, data } = viewScreen(screen, defaultView)
        const found = element !== undefined
          ? `Found ${elementName(element)}`
          : wasSeen ? 'It is gone' : `Nothing matched ${describeSelector(selector)}, so nothing is gone; check the selector if it should have been there. Returned`
        return {
          content: [{ type: 'text', text: [`${found} after ${waitedMs} ms.`, ...lines].join('\n') }],
          structuredContent: {
            found: true,
            waitedMs,
            ...(state === 'gone' ? { wasSeen } : {}),
            ...(element === undefined ? {} : { element: elementData(element, 'lines') }),
            screen: data
          }
        }
      })
    }
  })

  return [waitFor]
}
