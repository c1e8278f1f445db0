/** A holder's file on a phone, as it is handed to a caller. What it is is known by its bytes, not by its name. */
import { animatedPngType, readFilm } from '../../devices/animated-png.ts'
import { shown } from '../../text/quote.ts'
import type { ContentBlock } from '../tool-definition.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export type FileContent = { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })

/** A text as it can be shown, or bytes as base64, with their type. */
export function fileContent (bytes: Buffer): FileContent {
  // By what it is, not by its name: a client may choke on a picture that is none.
  if (isPng(bytes)) return { mimeType: readFilm(bytes) === undefined ? 'image/png' : animatedPngType, blob: bytes.toString('base64') }
  const text = decoded(bytes)
  return text === undefined
    ? { mimeType: 'application/octet-stream', blob: bytes.toString('base64') }
    : { mimeType: 'text/plain', text: shown(text) }
}

/** The same as a block of a tool's result. An animation is a PNG to every client that shows pictures. */
export function fileBlock (uri: string, bytes: Buffer): { readonly block: ContentBlock, readonly mimeType: string } {
  const content = fileContent(bytes)
  const { mimeType } = content
  if ('text' in content) return { block: { type: 'text', text: content.text }, mimeType }
  if (isPng(bytes)) return { block: { type: 'image', data: content.blob, mimeType: 'image/png' }, mimeType }
  return { block: { type: 'resource', resource: { uri, ...content } }, mimeType }
}

function isPng (bytes: Buffer): boolean {
  return bytes.subarray(0, pngSignature.length).equals(pngSignature)
}

function decoded (bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
