/**
 * How deep YAML goes, found out before it is parsed.
 *
 * What makes a document of YAML goes as deep as its text does. Where the stack ends it throws a
 * RangeError, or, inside a regular expression, ends the whole process. The parser of the syntax below
 * keeps a stack of its own, so it can tell how deep the text goes, whichever way it does: brackets,
 * indentation, or dashes and question marks on one line.
 */
import { Lexer, Parser } from 'yaml'

/** @returns the place in the text at which it goes deeper than `deepest` levels; undefined where it nowhere does */
export function tooDeepAt (text: string, deepest: number): number | undefined {
  const parser = new Parser()
  // The document is a level of the parser's own; a pair is none.
  let at = 0
  for (const lexeme of new Lexer().lex(text)) {
    // It makes its steps as they are asked for.
    Array.from(parser.next(lexeme))
    if (parser.stack.length > deepest + 1) return at
    at = parser.offset
  }
  return undefined
}
