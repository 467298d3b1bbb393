import type { Finding } from '../diagnose/index.js'
import type { Colours } from './colours.js'
import { printable } from './printable.js'

/** Findings for a reader, numbered, each with what it rests on and what to change. */
export function findingsText(findings: readonly Finding[], colours: Colours): string {
  return findings.map((finding, index) => findingText(finding, index + 1, colours)).join('\n')
}

function findingText(finding: Finding, number: number, { bold, dim, yellow }: Colours): string {
  const { code, message, fix, evidence } = finding
  // The side that has to act comes first, in the heading.
  const [begins, side] = /^On (the \w+['\u2019]s side): /.exec(fix) ?? ['']
  const heading = side === undefined ? 'Fix:' : `Fix, on ${side}:`
  const lines = [
    `${bold(`${number}. ${printable(message)}`)} ${dim(`(${code})`)}`,
    ...(evidence === undefined ? [] : indented(evidence)),
    `   ${yellow(heading)}`,
    ...indented(fix.slice(begins.length)),
  ]
  return `${lines.join('\n')}\n`
}

/** The lines of a text, which may quote the request. */
function indented(text: string): string[] {
  return text.split('\n').map((line) => `     ${printable(line, '\t')}`)
}
