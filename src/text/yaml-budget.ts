/**
 * What YAML costs, found out before a document is made of it.
 *
 * What makes a document of YAML goes as deep as its text does. Where the stack ends it throws a
 * RangeError, or, inside a regular expression, ends the whole process. It also takes some ten
 * microseconds of processor time for each word and mark of the text. The parser of the syntax below
 * keeps a stack of its own and takes a part of that time. So it can tell how deep the text goes,
 * whichever way it does (brackets, indentation, or dashes and question marks on one line), and it
 * can count.
 */
import { Lexer, Parser } from 'yaml'

export interface YamlBudget {
  /** How deep a text may go. */
  readonly levels: number
  /** How many words, marks, blanks and line ends it may have. */
  readonly lexemes?: number
}

export interface YamlExcess {
  readonly of: 'levels' | 'lexemes'
  /** The place in the text at which it is beyond the budget: the count of characters before it. */
  readonly at: number
}

/** @returns undefined where the text keeps to the budget */
export function yamlExcess (text: string, { levels, lexemes = Infinity }: YamlBudget): YamlExcess | undefined {
  const parser = new Parser()
  let count = 0
  let at = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > lexemes) return { of: 'lexemes', at }
    // It makes its steps as they are asked for.
    Array.from(parser.next(lexeme))
    // The document is a level of the parser's own; a pair is none.
    if (parser.stack.length > levels + 1) return { of: 'levels', at }
    at = parser.offset
  }
  return undefined
}
