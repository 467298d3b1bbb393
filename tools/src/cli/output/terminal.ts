import type { Writable } from 'node:stream'
import { stripVTControlCharacters, styleText } from 'node:util'
import { describeError } from '../describe-error.js'

/** A file, a pipe or a terminal. Only terminals have `columns` and `hasColors`. `hasColors` respects `NO_COLOR` and `TERM`. */
export type Output = Writable & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number
  hasColors?(): boolean
}

/** Formats a piece of text, or returns the text unchanged if colours are not wanted. */
type Format = (format: Parameters<typeof styleText>[0], text: string) => string

/** What an output can show: colours, and lines of at most `width` characters. */
export type Style = Format & { readonly width: number }

/** Below the minimum, a text does not fit beside its name. Above the maximum, lines are hard to read. */
const [MIN_WIDTH, MAX_WIDTH] = [60, 100]

/** The width for a file or a pipe, which has no columns. */
const DEFAULT_WIDTH = 80

export function styleOf(output: Output): Style {
  const isColoured = output.hasColors?.() === true
  const width = Math.min(Math.max(output.columns ?? DEFAULT_WIDTH, MIN_WIDTH), MAX_WIDTH)
  // The stream is passed, because `styleText` would otherwise check only the colours of process.stdout.
  const format: Format = (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text)
  return Object.assign(format, { width })
}

/**
 * Returns text broken at spaces into lines of at most `width` characters. Newlines in the text stay. A word that is longer stays whole,
 * because readers copy long words such as addresses and signatures.
 *
 * @param indent - the beginning of every line. In a list, the next lines of an item begin below the text of its first line.
 * @param first - the beginning of the first line, instead of `indent`.
 */
export function wrapText(text: string, { width }: Pick<Style, 'width'>, indent = '', first = indent): string {
  const lines = text.split('\n').map((line, index) => {
    const start = index === 0 ? first : indent
    const hang = indent + ' '.repeat((LIST_MARK.exec(line)?.[0] ?? '').length)
    return breakLine(start + line, start.length, width, hang)
  })
  return lines.join('\n')
}

/** Matches the beginning of an indented line or of a line of a list. */
const LIST_MARK = /^ *(?:- )?/

/** Breaks a line at spaces into lines of at most `width` characters. The first `fixed` characters stay unchanged. */
function breakLine(line: string, fixed: number, width: number, hang: string): string {
  const [start, text] = [line.slice(0, fixed), line.slice(fixed)]
  // Spaces before the first word belong to this word.
  const words = text.match(/^ *[^ ]*| +[^ ]*/g) ?? []
  const lines = [start]
  for (const [index, word] of words.entries()) {
    const current = lines[lines.length - 1] as string
    if (index === 0 || visibleLength(current + word) <= width) lines[lines.length - 1] = current + word
    else if (word.trim() !== '') lines.push(hang + word.trimStart())
  }
  return lines.join('\n')
}

/** Returns the length of a text without its colours. */
function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length
}

/** Returns remarks on how a result was found, one per paragraph. */
export function notesText(notes: readonly string[], style: Style): string {
  return notes.map((note) => `${style('dim', wrapText(note, style))}\n`).join('')
}

/** Returns the remarks that a reader must know before the result. */
export function warningsText(warnings: readonly string[], style: Style): string {
  return warnings.map((warning) => `${style('yellow', wrapText(`Warning: ${warning}`, style))}\n\n`).join('')
}

/**
 * Returns foreign text in a form that is safe for a terminal. Control characters could move the cursor or hide what was printed, so they
 * become `\uXXXX`. Characters that reorder or hide other characters become `\uXXXX` too.
 *
 * @param kept - the control characters to keep, such as newlines.
 */
export function printable(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    kept.includes(character) ? character : character.split('').map(escapeUnit).join(''),
  )
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Returns a document as JSON that is safe for a terminal too. */
export function jsonText(document: object): string {
  return `${printable(JSON.stringify(document, undefined, 2), '\n')}\n`
}

/** Writes a part of the output, and waits until it is written. */
export function write(output: Output, part: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => {}
    // This listener ignores the error, because an error without a listener would end the process.
    output.once('error', ignore)
    output.write(part, (error) => {
      if (error == null) output.off('error', ignore)
      // A program such as `head` closes the pipe when it has read enough, which is not a failure.
      if (error == null || Object(error).code === 'EPIPE') resolve()
      else reject(new Error(`Cannot write the output: ${describeError(error)}.`))
    })
  })
}
