/** An instant as results show it. */
export function isoTime (atMs: number): string {
  return new Date(atMs).toISOString()
}
