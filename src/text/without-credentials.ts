/** An address as it may be shown: what stands before its host, user and password, is left out. */
export function withoutCredentials (address: string): string {
  return address.replace(/^([^:/]*:\/\/)[^/]*@/, '$1…@')
}
