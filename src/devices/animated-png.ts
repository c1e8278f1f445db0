/**
 * Animated PNG: pictures of one size, each with how long it shows. Every viewer that does not
 * know animation shows the first one, because the file is a PNG like any other.
 * (PNG, third edition, sections 5.3 and 11.3.6.)
 */
import { crc32 } from 'node:zlib'

export const animatedPngType = 'image/apng'

export interface AnimationFrame {
  /** A complete PNG file. */
  readonly png: Buffer
  readonly durationMs: number
}

/** What an animation shows at some time. */
export interface StillFrame {
  /** A complete PNG file. */
  readonly png: Buffer
  /** Since when it shows, in milliseconds from the beginning. */
  readonly fromMs: number
}

export interface Film {
  readonly durationMs: number
  /** What shows at that time; later than the end it is the last picture. */
  frameAt (atMs: number): StillFrame
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const longestDelayMs = 65_535
/** In an animation that is taken apart. A recording has two or three for each screen. */
const mostChunks = 4_096

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

/**
 * Takes an animation apart whose pictures are all of its full size, as `joinFrames` makes them.
 *
 * @returns undefined for a file of another kind
 */
export function readFilm (file: Buffer): Film | undefined {
  if (!file.subarray(0, signature.length).equals(signature)) return undefined
  const chunks = chunksOf(file)
  const header = chunks[0]
  if (chunks.length > mostChunks || header?.type !== 'IHDR' || header.data.length !== 13 || !chunks.some(({ type }) => type === 'acTL')) return undefined
  // What describes all pictures stands before the first of them, such as a palette.
  const common = chunks.slice(1, chunks.findIndex(({ type }) => pictureChunks.has(type))).filter(({ type }) => type !== 'acTL')
  const frames: Array<{ fromMs: number, data: Buffer[] }> = []
  let endMs = 0
  for (const { type, data } of chunks) {
    if (type === 'fcTL') {
      if (data.length !== 26 || !isWhole(data, header.data)) return undefined
      frames.push({ fromMs: endMs, data: [] })
      endMs += delayMs(data)
    }
    if (type === 'IDAT') frames.at(-1)?.data.push(data)
    if (type === 'fdAT') frames.at(-1)?.data.push(data.subarray(4))
  }
  const [first] = frames
  if (first === undefined) return undefined

  return {
    durationMs: Math.round(endMs),
    frameAt (atMs) {
      const { fromMs, data } = frames.findLast((frame) => frame.fromMs <= atMs) ?? first
      const parts = [header, ...common, { type: 'IDAT', data: Buffer.concat(data) }, { type: 'IEND', data: Buffer.alloc(0) }]
      return { fromMs: Math.round(fromMs), png: Buffer.concat([signature, ...parts.map((part) => chunk(part.type, part.data))]) }
    }
  }
}

const pictureChunks = new Set(['fcTL', 'IDAT'])

/** Whether a picture has the size of the whole and its place. */
function isWhole (control: Buffer, header: Buffer): boolean {
  return control.subarray(4, 12).equals(header.subarray(0, 8)) && control.readUInt32BE(12) === 0 && control.readUInt32BE(16) === 0
}

/** For how long a picture shows. A denominator of 0 stands for hundredths. */
function delayMs (control: Buffer): number {
  return control.readUInt16BE(20) * 1_000 / (control.readUInt16BE(22) || 100)
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
  // Eight bytes before the data and four behind it.
  for (let at = signature.length; at + 12 <= png.length;) {
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
