import { createCanvas, type Canvas } from '@napi-rs/canvas'

// More pictures on one sheet are too small to read when a model scales it down.
const mostPictures = 12
const mostColumns = 4
const gap = 8

export interface ContactSheetDrawing {
  /** Which of the pictures are on the sheet, in the order of their places. */
  readonly shown: readonly number[]
  /** Puts a picture on the sheet, if it is one of those that are shown. */
  add (index: number, picture: Canvas): void
  /** A complete PNG file. */
  encode (): Promise<Buffer>
}

/** A sheet of pictures of one size, row by row. Of more than twelve it has the first, the last and some between. */
export function drawContactSheet (count: number, { width, height }: { readonly width: number, readonly height: number }): ContactSheetDrawing {
  const shown = shownIndexes(count)
  const columns = Math.min(shown.length, mostColumns)
  const rows = Math.ceil(shown.length / columns)
  const canvas = createCanvas(columns * (width + gap) + gap, rows * (height + gap) + gap)
  const context = canvas.getContext('2d')
  context.fillStyle = '#808080'
  context.fillRect(0, 0, canvas.width, canvas.height)

  return {
    shown,
    add (index, picture) {
      const place = shown.indexOf(index)
      if (place >= 0) context.drawImage(picture, gap + (place % columns) * (width + gap), gap + Math.floor(place / columns) * (height + gap))
    },
    encode: () => canvas.encode('png')
  }
}

/** Which of so many pictures a sheet shows. */
export function shownIndexes (count: number): readonly number[] {
  const shown = Math.min(count, mostPictures)
  return Array.from({ length: shown }, (_, at) => (shown === 1 ? 0 : Math.round(at * (count - 1) / (shown - 1))))
}
