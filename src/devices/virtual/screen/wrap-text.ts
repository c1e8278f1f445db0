import { boundaryBefore, charactersOf } from '../../../text/characters.ts'
import { textWidth } from './text-width.ts'

/** One line of a wrapped text, and where in the text it begins. */
export interface TextLine {
  readonly text: string
  readonly start: number
}

export interface TextFit {
  /** In the unit of `size`. */
  readonly width: number
  readonly size: number
  readonly bold: boolean
}

const ellipsis = '…'

/**
 * Breaks a text at line feeds, at spaces, and inside words that are wider than a line. Never
 * returns an empty list.
 */
export function wrapText (text: string, fit: TextFit): TextLine[] {
  const lines: TextLine[] = []
  let start = 0
  for (const paragraph of text.split('\n')) {
    wrapParagraph(paragraph, start, fit, lines)
    start += paragraph.length + 1
  }
  return lines
}

/** At most `most` lines; where more are needed the last one ends in an ellipsis. */
export function limitLines (lines: readonly TextLine[], most: number, fit: TextFit): readonly TextLine[] {
  const last = lines[most - 1]
  if (last === undefined || lines.length <= most) return lines
  return [...lines.slice(0, most - 1), { text: shorten(last.text, fit) + ellipsis, start: last.start }]
}

/** The end of a text that fits into the width: what a field of one line shows of a long text. */
export function tailThatFits (text: string, fit: TextFit): TextLine {
  let width = 0
  let start = text.length
  while (start > 0) {
    const character = text.slice(boundaryBefore(text, start - 1), start)
    width += textWidth(character, fit.size, fit.bold)
    if (width > fit.width) break
    start -= character.length
  }
  return { text: text.slice(start), start }
}

function wrapParagraph (paragraph: string, offset: number, fit: TextFit, lines: TextLine[]): void {
  const widthOf = (text: string): number => textWidth(text, fit.size, fit.bold)
  let line = ''
  let width = 0
  let start = offset

  function breakLine (): void {
    lines.push({ text: line, start })
    start += line.length
    line = ''
    width = 0
  }

  function add (part: string): void {
    line += part
    width += widthOf(part)
  }

  for (const word of paragraph.split(/(?<= )/)) {
    // Spaces at the end of a line may hang over its edge.
    const inked = widthOf(word.trimEnd())
    if (line !== '' && width + inked > fit.width) breakLine()
    if (inked <= fit.width) add(word)
    else {
      for (const character of charactersOf(word)) {
        if (line !== '' && width + widthOf(character) > fit.width) breakLine()
        add(character)
      }
    }
  }
  breakLine()
}

// At least one character, whatever the width: there is always something to show.
function headThatFits (text: string, fit: TextFit): string {
  let head = ''
  let width = 0
  for (const character of charactersOf(text)) {
    width += textWidth(character, fit.size, fit.bold)
    if (head !== '' && width > fit.width) break
    head += character
  }
  return head
}

function shorten (text: string, fit: TextFit): string {
  const room = { ...fit, width: fit.width - textWidth(ellipsis, fit.size, fit.bold) }
  return textWidth(text, fit.size, fit.bold) <= room.width ? text.trimEnd() : headThatFits(text, room).trimEnd()
}
