/** How long to wait after the nth failure in a row (counted from 1): doubling, up to a limit. */
export function backOffMs ({ firstMs, longestMs }: { readonly firstMs: number, readonly longestMs: number }, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}
