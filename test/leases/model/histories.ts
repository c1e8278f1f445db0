import fc from 'fast-check'
import { asyncProperty, type FuzzProperty } from '../../fuzz/fuzz-property.ts'
import { burst, type Act } from './acts.ts'
import type { CreateDatabase } from './databases.ts'
import { createPlay, type Play } from './play.ts'
import { createWorld, type Fault } from './world.ts'

/** What happens at once, as a command of fast-check's. */
class Happening implements fc.AsyncCommand<object, Play> {
  readonly acts: readonly Act[]

  constructor (acts: readonly Act[]) {
    this.acts = acts
  }

  check (): boolean {
    return true
  }

  async run (_model: object, play: Play): Promise<void> {
    await play.happen(this.acts)
  }

  toString (): string {
    return JSON.stringify(this.acts)
  }
}

const happenings = fc.commands([burst.map((acts) => new Happening(acts))], { maxCommands: 20, size: 'max' })
/** How long the store takes, in turn: not at all, or so long that others come in between. */
const pauses = fc.oneof(fc.constant([0]), fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 7 }))

/** Random histories of a pool, which may be broken on purpose. */
export function histories ({ fault, createDatabase }: { readonly fault?: () => Fault, readonly createDatabase?: CreateDatabase } = {}): FuzzProperty {
  return asyncProperty('a pool keeps its promises, whatever happens to it', 100, [happenings, pauses], async (commands, pauses) => {
    const world = await createWorld({
      pauses,
      ...(fault === undefined ? {} : { fault: fault() }),
      ...(createDatabase === undefined ? {} : { createDatabase })
    })
    try {
      await world.begin()
      const play = createPlay(world)
      await fc.asyncModelRun(() => ({ model: {}, real: play }), commands)
      await play.comeToRest()
    } finally {
      await world.close()
    }
  })
}
