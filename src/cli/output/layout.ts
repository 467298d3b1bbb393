import { styleText } from 'node:util'
import type { Output } from '../command.js'

/** Formats a piece of text for an output, or returns it unchanged where colours are unwanted. */
export type Style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string

/**
 * Returns the style of an output. Only terminals get colours.
 * `NO_COLOR` (https://no-color.org) always turns them off. `FORCE_COLOR` turns them on, `FORCE_COLOR=0` off.
 */
export function styleOf(output: Output, env: { readonly [name: string]: string | undefined }): Style {
  const { NO_COLOR, FORCE_COLOR, TERM } = env
  const isTerminal = output.isTTY === true && TERM !== 'dumb'
  const isColoured = !NO_COLOR && (FORCE_COLOR === undefined ? isTerminal : !/^(0|false)$/.test(FORCE_COLOR))
  // `styleText` would decide by the colours of process.stdout.
  return (format, text) => (isColoured ? styleText(format, text, { validateStream: false }) : text)
}

/** The longest line of text, in characters. */
const MAX_WIDTH = 100

/**
 * Breaks text at spaces into lines of at most 100 characters. Line ends in the text stay.
 *
 * @param indent - the beginning of every line.
 * @param first - the beginning of the first line, instead of `indent`.
 */
export function wrapText(text: string, indent = '', first = indent): string {
  const width = MAX_WIDTH - Math.max(indent.length, first.length)
  const tooLong = new RegExp(`(?!.{1,${width}}$)(.{1,${width}}) `, 'gm')
  return first + text.replace(tooLong, '$1\n').replaceAll('\n', `\n${indent}`)
}

/** Returns rows as lines, with the cells of each column aligned. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widthOf(column)))
      .join('   ')
      .trimEnd(),
  )
}
