import type { Finding, Language, Side } from '../../diagnose/index.js'
import { type Style, wrapText } from './layout.js'
import { printable } from './printable.js'

const LANGUAGE_NAMES: { readonly [language in Language]: string } = {
  node: 'Node',
  python: 'Python',
  go: 'Go',
  ruby: 'Ruby',
  php: 'PHP',
  java: 'Java',
  csharp: 'C#',
  perl: 'Perl',
  shell: 'shell',
}

const SIDES: { readonly [side in Side]: string } = {
  sender: "on the sender's side",
  receiver: "on the receiver's side",
  unknown: 'on either side',
}

/** How many languages a finding shows by default. `fixes` has the likeliest first. */
const MAX_LANGUAGES = 3

const INDENT = '     '

/**
 * Returns findings as numbered text, each with its evidence and its fix.
 *
 * @param language - the only language to show a line for.
 */
export function findingsText(findings: readonly Finding[], style: Style, language?: Language): string {
  return findings.map((finding, index) => findingText(finding, `${index + 1}. `, style, language)).join('\n')
}

function findingText(finding: Finding, number: string, style: Style, language: Language | undefined): string {
  const { code, side, message, fix, evidence } = finding
  const lines = [
    `${style('bold', wrapText(printable(message), '   ', number))} ${style('dim', `(${code})`)}`,
    ...(evidence === undefined ? [] : evidence.split('\n').map((line) => INDENT + printable(line, '\t'))),
    `   ${style('yellow', `Fix, ${SIDES[side]}:`)}`,
    ...[fix, ...languageLines(finding, language)].map((line) => wrapText(printable(line, '\n\t'), INDENT)),
  ]
  return `${lines.join('\n')}\n`
}

function languageLines({ fixes }: Finding, language: Language | undefined): string[] {
  const lines = Object.entries(fixes) as [Language, string][]
  const shown = language === undefined ? lines.slice(0, MAX_LANGUAGES) : lines.filter(([one]) => one === language)
  return shown.map(([one, line]) => `${LANGUAGE_NAMES[one]}: ${line}`)
}
