import type { Writable } from 'node:stream'
import { stripVTControlCharacters, styleText } from 'node:util'
import { escapeUnit } from '../../text.js'
import { describeError } from '../describe-error.js'

/** A file, a pipe or a terminal. Only a terminal has `columns` and `hasColors`, which also reads `NO_COLOR` and `TERM`. */
export type Output = Writable & {
  readonly isTTY?: boolean | undefined
  readonly columns?: number
  hasColors?(): boolean
}

type Format = (format: Parameters<typeof styleText>[0], text: string) => string

/** Adds colours to text, if the output can show colours. `width` is the maximum length of a line. */
export type Style = Format & { readonly width: number }

/** The limits of the width. With fewer columns, the names of options leave no room for text. Longer lines are hard to read. */
const [MIN_WIDTH, MAX_WIDTH] = [60, 100]

const DEFAULT_WIDTH = 80

export function styleOf(output: Output): Style {
  const isColoured = output.hasColors?.() === true
  const width = Math.min(Math.max(output.columns ?? DEFAULT_WIDTH, MIN_WIDTH), MAX_WIDTH)
  // With `validateStream`, `styleText` would check process.stdout instead of this output.
  const format: Format = (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text)
  return Object.assign(format, { width })
}

/** Breaks text at spaces into lines that begin with `indent`, or `first`. A longer word stays whole, so that readers can copy it. */
export function wrapText(text: string, { width }: Pick<Style, 'width'>, indent = '', first = indent): string {
  const lines = text.split('\n').map((line, index) => {
    const start = index === 0 ? first : indent
    const hang = indent + ' '.repeat((LIST_MARK.exec(line)?.[0] ?? '').length)
    return breakLine(start + line, start.length, width, hang)
  })
  return lines.join('\n')
}

const LIST_MARK = /^ *(?:- )?/

/** Breaks one line. The first `fixed` characters stay unchanged, and the lines after the first begin with `hang`. */
function breakLine(line: string, fixed: number, width: number, hang: string): string {
  const [start, text] = [line.slice(0, fixed), line.slice(fixed)]
  // The spaces before the first word stay, because the text may be indented.
  const words = text.match(/^ *[^ ]*| +[^ ]*/g) ?? []
  const lines = [start]
  for (const [index, word] of words.entries()) {
    const current = lines[lines.length - 1] as string
    if (index === 0 || visibleLength(current + word) <= width) lines[lines.length - 1] = current + word
    else if (word.trim() !== '') lines.push(hang + word.trimStart())
  }
  return lines.join('\n')
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length
}

export function notesText(notes: readonly string[], style: Style): string {
  return notes.map((note) => `${style('dim', wrapText(note, style))}\n`).join('')
}

export function warningsText(warnings: readonly string[], style: Style): string {
  return warnings.map((warning) => `${style('yellow', wrapText(`Warning: ${warning}`, style))}\n\n`).join('')
}

/** Returns text that cannot move the cursor, or hide or reorder text: `\uXXXX` for control and invisible characters except `kept`. */
export function printable(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    kept.includes(character) ? character : character.split('').map(escapeUnit).join(''),
  )
}

export function jsonText(document: object): string {
  return `${printable(JSON.stringify(document, undefined, 2), '\n')}\n`
}

/** Writes a part of the output and resolves when this part is written. */
export function write(output: Output, part: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => {}
    // The callback below handles the error. Without this listener, the event 'error' would end the process.
    output.once('error', ignore)
    output.write(part, (error) => {
      if (error == null) output.off('error', ignore)
      // A program such as `head` closes the pipe when it has read enough. This is not an error.
      if (error == null || Object(error).code === 'EPIPE') resolve()
      else reject(new Error(`Cannot write the output: ${describeError(error)}.`))
    })
  })
}
