import type { Output } from '../command.js'

/** Ways to set off a piece of text. */
export interface Colours {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

const plain = (text: string): string => text
const NONE: Colours = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain }

const paint =
  (on: number, off: number) =>
  (text: string): string =>
    `\x1b[${on}m${text}\x1b[${off}m`
const ALL: Colours = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
}

/**
 * The colours for an output: none unless it is a terminal that shows them. `NO_COLOR` (https://no-color.org) takes them
 * away whatever else is set; `FORCE_COLOR` gives them to a file or a pipe, `FORCE_COLOR=0` to nothing.
 */
export function coloursFor(output: Output, env: { readonly [name: string]: string | undefined }): Colours {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = env
  if (no !== undefined && no !== '') return NONE
  if (force !== undefined) return /^(0|false)$/.test(force) ? NONE : ALL
  return output.isTTY === true && term !== 'dumb' ? ALL : NONE
}
