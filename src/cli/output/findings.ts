import type { Finding } from '../../diagnose/index.js'
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
    `${bold(wrapped(printable(message), '   ', `${number}. `))} ${dim(`(${code})`)}`,
    ...(evidence === undefined ? [] : linesOf(evidence).map((line) => INDENT + line)),
    ...fixLines(fix, colours),
  ]
  return `${lines.join('\n')}\n`
}

/** A fix may tell both sides what to do: a part each. */
function sidesOf(fix: string): string[] {
  return fix.split(/(?<=\.) (?=On (?:the|either) )/)
}

/** The side that has to act stands in the heading, once for all that it has to do. */
function fixLines(fix: string, { yellow }: Colours): string[] {
  const lines: string[] = []
  let last = ''
  for (const part of sidesOf(fix)) {
    const [begins, side] = /^On (\w+ [^:\n]*side[^:\n]*): /.exec(part) ?? ['']
    const heading = side === undefined ? 'Fix:' : `Fix, on ${side}:`
    if (heading !== last) lines.push(`   ${yellow(heading)}`)
    last = heading
    const change = linesOf(aLineALanguage(part.slice(begins.length)))
    lines.push(...change.map((line) => wrapped(line, INDENT)))
  }
  return lines
}

/** Whoever looks for the line to change looks for one language: `Node: …, Python: …` is a list of them. */
function aLineALanguage(text: string): string {
  const language = '(?:Node|Python|Go|Ruby|PHP|Java|C#|Perl|Swift|shell|openssl): '
  if (new RegExp(`[(]${language}`).test(text)) return text
  return text.replace(new RegExp(`(?:[,;]|([:.])) (?=${language})`, 'g'), (_, end = '') => `${end}\n`)
}

/** The lines of a text, which may quote the request. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line) => printable(line, '\t'))
}
