import type { Finding, Language, Side } from '../../diagnose/index.js'
import { printable, type Style, wrapText } from './terminal.js'

const SIDES: { readonly [side in Side]: string } = {
  sender: "on the sender's side",
  receiver: "on the receiver's side",
  unknown: 'on either side',
}

const MAX_LANGUAGES = 3

const INDENT = '     '

/** Returns findings as a numbered list. `language` is what the user chose, and `guessed` is the likely language of the sender. */
export function findingsText(
  findings: readonly Finding[],
  style: Style,
  language?: Language,
  guessed?: Language,
): string {
  const texts = findings.map(({ code, side, message, fix, fixes, evidence }, index) => {
    const all = Object.entries(fixes)
    const only = language ?? (guessed !== undefined && guessed in fixes ? guessed : undefined)
    const shown = only === undefined ? all.slice(0, MAX_LANGUAGES) : all.filter(([name]) => name === only)
    const lines = [
      style('bold', wrapText(`${printable(message)} (${code})`, style, '   ', `${index + 1}. `)),
      ...(evidence === undefined ? [] : [wrapText(printable(evidence, '\n\t'), style, INDENT)]),
      `   ${style('yellow', `Fix, ${SIDES[side]}:`)}`,
      ...[fix, ...shown.map(([name, line]) => `${name}: ${line}`)].map((line) =>
        wrapText(printable(line, '\n\t'), style, INDENT),
      ),
    ]
    return `${lines.join('\n')}\n`
  })
  return texts.join('\n')
}
