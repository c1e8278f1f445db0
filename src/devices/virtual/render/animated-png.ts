/**
 * Animated PNG: pictures of one size, each with how long it shows. Every viewer that does not
 * know animation shows the first one, because the file is a PNG like any other.
 * (PNG, third edition, sections 5.3 and 11.3.6.)
 */
import { crc32 } from 'node:zlib'

export interface AnimationFrame {
  /** A complete PNG file. */
  readonly png: Buffer
  readonly durationMs: number
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const longestDelayMs = 65_535

/** Joins pictures into one animation that plays once; all must have the same size and format. */
export function joinFrames (frames: readonly AnimationFrame[]): Buffer {
  const pictures = frames.map(({ png, durationMs }) => ({ chunks: chunksOf(png), durationMs }))
  const header = pictures[0]?.chunks.find(({ type }) => type === 'IHDR')?.data
  if (header === undefined) throw new Error('an animation has pictures')
  if (pictures.some(({ chunks }) => chunks.find(({ type }) => type === 'IHDR')?.data.equals(header) !== true)) {
    throw new Error('the pictures of an animation are alike')
  }

  let sequence = 0
  const parts = pictures.flatMap(({ chunks, durationMs }, index) => {
    const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data))
    const control = chunk('fcTL', frameControl(sequence++, header, durationMs))
    // The first picture is also what a viewer without animation shows.
    return [control, index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers(sequence++), data]))]
  })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('acTL', numbers(frames.length, 1)), ...parts, chunk('IEND', Buffer.alloc(0))])
}

function frameControl (sequence: number, header: Buffer, durationMs: number): Buffer {
  const control = Buffer.alloc(26)
  control.writeUInt32BE(sequence, 0)
  // Width and height of the whole picture; its offsets stay 0.
  header.copy(control, 4, 0, 8)
  control.writeUInt16BE(Math.min(Math.max(Math.round(durationMs), 1), longestDelayMs), 20)
  control.writeUInt16BE(1_000, 22)
  return control
}

function chunksOf (png: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

function chunk (type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))])
}

function numbers (...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => buffer.writeUInt32BE(value, index * 4))
  return buffer
}
