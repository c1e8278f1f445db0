import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import type { ServingProcess } from '../../src/cli/serve.ts'

export interface FakeProcess extends ServingProcess {
  /** What was written to each stream so far. */
  readonly shown: { readonly stdout: string, readonly stderr: string }
  /** The codes that `exit` was called with. */
  readonly exits: readonly number[]
  signal (name: 'SIGINT' | 'SIGTERM'): void
  throwUncaught (error: Error): void
}

/** A process that remembers what was done to it instead of ending. */
export function fakeProcess ({ platform = 'linux' as NodeJS.Platform } = {}): FakeProcess {
  const events = new EventEmitter()
  const shown = { stdout: '', stderr: '' }
  const exits: number[] = []

  function collect (stream: keyof typeof shown): Writable {
    return new Writable({
      decodeStrings: false,
      write (text: string, _encoding, done) {
        shown[stream] += text
        done()
      }
    })
  }

  return {
    platform,
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    shown,
    exits,
    on: (event: string, listener: (error: Error) => void) => events.on(event, listener),
    exit: (code) => { exits.push(code) },
    signal: (name) => { events.emit(name) },
    throwUncaught: (error) => { events.emit('uncaughtException', error) }
  }
}
