/** A resource id without its package: `com.example.app:id/sign_in` is `sign_in`. */
export function plainId (id: string): string {
  return id.replace(/^.*:id\//, '')
}
