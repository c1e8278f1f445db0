import { ensureNotCancelled } from '../refusals/cancellation.ts'
import type { Screen } from '../devices/screen/screen.ts'
import type { DeviceUse } from './device-use.ts'
import type { ContentBlock } from './tool-definition.ts'

/** Wide enough to recognize things, at a fraction of what a full picture costs a model. */
export const smallWidth = 480
/** Stands for the phone's own width. */
export const nativeWidth = 0

export interface Picture {
  readonly png: Buffer
  readonly block: ContentBlock
  readonly facts: {
    readonly width: number
    readonly height: number
    readonly bytes: number
    /** Picture pixels per device pixel. */
    readonly scale: number
  }
}

/** A picture of the phone whose screen was seen just now, at most `maxWidth` pixels wide. */
export async function takeScreenshot (
  use: DeviceUse, { maxWidth, screen }: { readonly maxWidth: number, readonly screen: Screen }
): Promise<Picture> {
  ensureNotCancelled(use.command.signal)
  const ownWidth = screen.size.width
  const { png, width, height } = await use.driver.screenshot(
    { width: maxWidth === nativeWidth ? ownWidth : Math.min(maxWidth, ownWidth) }, use.command
  )
  return {
    png,
    block: { type: 'image', data: png.toString('base64'), mimeType: 'image/png' },
    facts: { width, height, bytes: png.length, scale: Math.round(width / ownWidth * 10_000) / 10_000 }
  }
}
