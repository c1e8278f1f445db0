import { createCanvas } from '@napi-rs/canvas'
import { joinFrames, type AnimationFrame } from '../../animated-png.ts'
import type { ContactSheet } from '../../recording-commands.ts'
import type { PhoneProfile } from '../phone/phone-profile.ts'
import type { Take } from '../phone/recorder.ts'
import { drawContactSheet } from './contact-sheet.ts'
import { drawInTurn } from './draw-in-turn.ts'
import { drawScreen } from './draw-screen.ts'

// Of the phone held upright: enough to follow what happens.
const recordingWidth = 240

/** Draws a recording as an animated PNG, and a contact sheet of it. Each picture is made off this thread, one after the other. */
export async function drawRecording (take: Take, { profile, time }: {
  readonly profile: PhoneProfile
  readonly time: string
}): Promise<{ readonly animation: Buffer, readonly contactSheet: ContactSheet }> {
  const scale = recordingWidth / profile.sizePx.width
  const frames = take.frames.map(({ screen, durationMs }) => ({
    screen, durationMs, width: Math.round(screen.size.width * scale), height: Math.round(screen.size.height * scale)
  }))
  // A phone that was turned meanwhile has pictures of two shapes.
  const width = Math.max(...frames.map((frame) => frame.width))
  const height = Math.max(...frames.map((frame) => frame.height))
  const pictures: AnimationFrame[] = []
  const startsMs: number[] = []
  let startMs = 0
  const sheet = drawContactSheet(frames.length, { width, height })
  for (const [index, frame] of frames.entries()) {
    const png = await drawInTurn(async () => {
      const canvas = createCanvas(width, height)
      canvas.getContext('2d').drawImage(
        drawScreen(frame.screen, { profile, width: frame.width, time }),
        Math.floor((width - frame.width) / 2), Math.floor((height - frame.height) / 2)
      )
      sheet.add(index, canvas)
      return await canvas.encode('png')
    })
    startsMs.push(startMs)
    startMs += frame.durationMs
    pictures.push({ png, durationMs: frame.durationMs })
  }
  return { animation: joinFrames(pictures), contactSheet: { png: await sheet.encode(), atMs: sheet.shown.map((index) => startsMs[index] ?? 0) } }
}
