/** Lets everything go on that can go on without time passing or a phone answering. */
export async function idle (): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
