/** Where the resources of the pool are: for those that read them, and for those that tell that they changed. */
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

/** One of the holder's own files on the phone; slashes in the path are encoded. */
export function fileUri (handle: string, path: string): string {
  return `mooring://leases/${encodeURIComponent(handle)}/files/${encodeURIComponent(path)}`
}
