/**
 * Quoting: how words from a phone become part of a line an agent reads.
 *
 * What an app shows is untrusted. Inside quotes it is a JSON string, so quotes, backslashes
 * and line breaks in it cannot end it; what would act on the reader or hide from it (controls,
 * bidi controls, invisible format characters, lone surrogates) is written as an escape.
 * Joiners stay: emoji and several scripts need them, and they reorder nothing.
 */
import { boundaryBefore } from './characters.ts'

// C1 controls; soft hyphen; Arabic letter mark; zero width space, marks; line and paragraph
// separators, embeddings and overrides; word joiner, isolates and other invisible operators;
// byte order mark; interlinear annotation; variation-less tag characters (hidden text).
const acting = /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/**
 * The text between quotes, on one line, cut after `limit` characters. The ellipsis of a cut
 * text stands outside the quotes, so that it cannot be taken for part of the text.
 */
export function quote (text: string, limit = Number.POSITIVE_INFINITY): string {
  const shown = cut(text, limit)
  const quoted = JSON.stringify(shown).replace(acting, escapeUnits)
  return shown === text ? quoted : `${quoted}…`
}

/**
 * A text of several lines with what acts on the reader or hides from it written as an escape:
 * overrides of direction, invisible characters, lone surrogates, controls but line ends and tabs.
 */
export function shown (text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd').replace(acting, escapeUnits).replace(/[^\P{Cc}\n\r\t]/gu, escapeUnits)
}

/** The same on lines that each begin with `> `, so that none can pass for a line of ours. */
export function quoteLines (text: string): string {
  return shown(text).split(/\r\n?|\n/).map((line) => `> ${line}`).join('\n')
}

/** A text as data, without the characters that turn the direction of what stands around it, or hide. */
export function withoutActing (text: string): string {
  return text.replace(acting, '')
}

/** The first `limit` UTF-16 units, less what would leave half of a character. */
export function cut (text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, boundaryBefore(text, limit))
}

/** A text as data, cut after `limit` characters and marked where it was. */
export function shorten (text: string, limit: number): string {
  const shown = cut(text, limit)
  return shown === text ? text : `${shown}…`
}

/** A name that is written bare when it can only be read as one word, else quoted. */
export function word (name: string): string {
  return /^[\w.:/$-]{1,120}$/.test(name) ? name : quote(name, 120)
}

function escapeUnits (characters: string): string {
  let escaped = ''
  for (let i = 0; i < characters.length; i++) {
    escaped += `\\u${characters.charCodeAt(i).toString(16).padStart(4, '0')}`
  }
  return escaped
}
