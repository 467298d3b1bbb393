import type { Finding } from '../diagnose/index.js'
import type { Colours } from './colours.js'
import { printable } from './printable.js'
import { wrapped } from './wrapped.js'

/** Findings for a reader, numbered, each with what it rests on and what to change. */
export function findingsText(findings: readonly Finding[], colours: Colours): string {
  return findings.map((finding, index) => findingText(finding, index + 1, colours)).join('\n')
}

const INDENT = '     '

function findingText({ code, message, fix, evidence }: Finding, number: number, colours: Colours): string {
  const { bold, dim } = colours
  const lines = [
    `${bold(wrapped(`${number}. ${printable(message)}`, '   '))} ${dim(`(${code})`)}`,
    ...(evidence === undefined ? [] : linesOf(evidence).map((line) => `${INDENT}${line}`)),
    ...sidesOf(fix).flatMap((side) => fixLines(side, colours)),
  ]
  return `${lines.join('\n')}\n`
}

/** A fix may tell both sides what to do: a part each. */
function sidesOf(fix: string): string[] {
  return fix.split(/(?<=\.) (?=On (?:the|either) )/)
}

/** The side that has to act stands in the heading. */
function fixLines(part: string, { yellow }: Colours): string[] {
  const [begins, side] = /^On (\w+ [^:\n]*side[^:\n]*): /.exec(part) ?? ['']
  const heading = side === undefined ? 'Fix:' : `Fix, on ${side}:`
  const change = linesOf(part.slice(begins.length)).map((line) => wrapped(`${INDENT}${line}`, INDENT))
  return [`   ${yellow(heading)}`, ...change]
}

/** The lines of a text, which may quote the request. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line) => printable(line, '\t'))
}
