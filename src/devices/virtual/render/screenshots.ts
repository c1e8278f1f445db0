import type { Screenshot } from '../../device-types.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { VirtualPhone } from '../phone/virtual-phone.ts'
import type { Screen } from '../screen/composed-screen.ts'
import { drawInTurn } from './draw-in-turn.ts'
import { drawScreen } from './draw-screen.ts'

export interface Screenshots {
  /** The screen as it is now, whatever it shows when the picture is drawn. */
  take (width: number): Promise<Screenshot>
  /** A picture of the same size on which there is nothing. */
  takeBlack (width: number): Promise<Screenshot>
}

/** Pictures of one phone. The last one is kept for as long as the screen stays as it is. */
export function createScreenshots (phone: VirtualPhone, clock: Clock): Screenshots {
  let last: { readonly key: string, readonly shot: Promise<Screenshot> } | undefined

  async function draw (screen: Screen, width: number, time: string): Promise<Screenshot> {
    return await drawInTurn(async () => {
      const canvas = drawScreen(screen, { profile: phone.profile, width, time })
      return { png: await canvas.encode('png'), width: canvas.width, height: canvas.height }
    })
  }

  function possibleWidth (wanted: number): number {
    return Math.max(1, Math.min(Math.round(wanted), phone.screen().size.width))
  }

  return {
    take (wanted) {
      const width = possibleWidth(wanted)
      const time = timeOfDay(clock.nowMs())
      const key = `${phone.revision()} ${width} ${time}`
      if (last?.key !== key) {
        const shot = draw(phone.screen(), width, time)
        last = { key, shot }
        // A picture that failed must not be handed out again.
        shot.catch(() => { if (last?.shot === shot) last = undefined })
      }
      return last.shot
    },
    takeBlack: (wanted) => draw({ ...phone.screen(), backdrop: 'off', layers: [] }, possibleWidth(wanted), '')
  }
}

/** Virtual phones live in the time zone UTC: a picture is the same wherever it is taken. */
export function timeOfDay (epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 16)
}
