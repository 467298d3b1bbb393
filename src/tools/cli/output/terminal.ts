import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { describeError } from '../describe-error.js'

/** A file, a pipe or a terminal. Only terminals have `hasColors`, which obeys `NO_COLOR` and `TERM`. */
export type Output = Writable & { readonly isTTY?: boolean | undefined; hasColors?(): boolean }

/** Formats a piece of text for an output, or returns it unchanged where colours are unwanted. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

export function styleOf(output: Output): Style {
  const isColoured = output.hasColors?.() === true
  // By itself, `styleText` would look only at the colours of process.stdout.
  return (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text)
}

/** The longest line of text, in characters. */
const MAX_WIDTH = 100

/**
 * Breaks text at spaces into lines of at most `maxWidth` characters. Line ends in the text stay.
 *
 * @param indent - the beginning of every line.
 * @param first - the beginning of the first line, instead of `indent`.
 */
export function wrapText(text: string, indent = '', first = indent, maxWidth = MAX_WIDTH): string {
  const width = maxWidth - Math.max(indent.length, first.length)
  const tooLong = new RegExp(`(?!.{1,${width}}$)(.{1,${width}}) `, 'gm')
  return first + text.replace(tooLong, '$1\n').replaceAll('\n', `\n${indent}`)
}

/** Returns remarks on how a result was found, one per paragraph. */
export function notesText(notes: readonly string[], style: Style): string {
  return notes.map((note) => `${style('dim', wrapText(note))}\n`).join('')
}

/**
 * Makes text of others safe for a terminal. Control characters could move the cursor or hide what was printed.
 * They become `\uXXXX`, and so do characters that reorder or hide others.
 *
 * @param kept - the control characters to keep, such as line ends.
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
    // The stream also emits the error, which would end the process.
    output.once('error', ignore)
    output.write(part, (error) => {
      if (error == null) output.off('error', ignore)
      // `head` closes the pipe when it has read enough. That is not a failure.
      if (error == null || Object(error).code === 'EPIPE') resolve()
      else reject(new Error(`Cannot write the output: ${describeError(error)}.`))
    })
  })
}
