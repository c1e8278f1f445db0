/** Where the resources of the pool are: for whoever reads them, and for whoever tells that they changed. */
export const devicesUri = 'mooring://devices'

export function deviceUri (deviceId: string): string {
  return `${devicesUri}/${encodeURIComponent(deviceId)}`
}

export function screenUri (handle: string): string {
  return `mooring://leases/${encodeURIComponent(handle)}/screen`
}

export function screenshotUri (handle: string): string {
  return `mooring://leases/${encodeURIComponent(handle)}/screenshot`
}
