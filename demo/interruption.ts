export interface Interruption {
  /** Aborted by the first signal that would end the process. */
  readonly signal: AbortSignal
  /** Rejects then, and never resolves. */
  readonly happened: Promise<never>
  /** With what to exit after it; undefined as long as nothing has happened. */
  readonly exitCode: number | undefined
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const

/** Turns the first Ctrl-C into something to clean up after; a second one ends the process at once. */
export function watchForInterruption (): Interruption {
  const controller = new AbortController()
  let exitCode: number | undefined
  const happened = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(new Error('interrupted')))
  })
  // Whether a request waits for it at that moment is chance.
  happened.catch(() => {})
  for (const [name, number] of Object.entries(signalNumbers)) {
    process.once(name, () => {
      exitCode ??= 128 + number
      controller.abort()
    })
  }
  return { signal: controller.signal, happened, get exitCode () { return exitCode } }
}
