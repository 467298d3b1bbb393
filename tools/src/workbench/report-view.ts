import { concat, utf8 } from '../bytes.js'
import { describeTime } from '../capture/arrival.js'
import type { Finding, Language, Side } from '../diagnose/finding.js'
import { textView } from './bytes-view.js'
import { card, FINDINGS, guideLink, h, inline } from './dom.js'
import type { CheckReport, RuleStatus } from './report.js'
import { sidesView } from './sides-view.js'

// This file shows the report on one request.

export const LANGUAGE_NAMES: { readonly [language in Language]: string } = {
  node: 'Node',
  python: 'Python',
  go: 'Go',
  ruby: 'Ruby',
  php: 'PHP',
  java: 'Java',
  csharp: 'C#',
  perl: 'Perl',
  shell: 'a shell',
}

/** Returns what the page shows about a request: first the findings, then what was checked. `chosen` is a language, `all` or empty. */
export function reportView(report: CheckReport, chosen: string, notes: readonly string[] = []): HTMLElement[] {
  const { rules, findings, start, body, signedMessage } = report
  const received = concat(utf8(start), body)
  const facts = [
    card('Rules', h('ol', { class: 'rules' }, ...rules.map(ruleRow)), ...notes.map((note) => muted(note))),
    card(
      'Signed message',
      muted('The receiver computes HMAC over exactly these bytes. Invisible characters have names in brackets.'),
      textView('The signed message as text', received),
    ),
  ]
  return [
    // A valid request can have a finding too, for example if the secret itself is in a header.
    ...(findings.length === 0
      ? []
      : [card('Findings', ...findings.map((finding) => findingView(finding, chosen, report)))]),
    ...(signedMessage === undefined
      ? []
      : [
          card(
            'What was signed, and what arrived',
            ...sidesView(signedMessage, received, received.length - body.length),
          ),
        ]),
    h('details', {}, h('summary', {}, 'What was checked'), ...facts),
  ]
}

const muted = (text: string) => h('p', { class: 'muted' }, ...inline(text))

export function describeArrival({ arrival }: CheckReport): string {
  if (arrival === undefined) return 'Time of arrival: unknown. If you know it, change “It arrived”.'
  const [time, source] = arrival
  return `Time of arrival: ${describeTime(time)}, ${source === 'from --at' ? 'as you entered it' : source}.`
}

const STATUS: { readonly [status in RuleStatus]: string } = {
  met: '✓ Met',
  broken: '✗ Broken',
  'not checked': '– Not checked',
}

function ruleRow({ name, status, reason, detail }: CheckReport['rules'][number]): HTMLElement {
  const mark = h('strong', { class: status }, STATUS[status])
  return h('li', { 'data-reason': reason, 'data-status': status }, mark, ` ${name} `, muted(detail))
}

const SIDES: { readonly [side in Side]: string } = {
  sender: 'On the sender’s side:',
  receiver: 'On the receiver’s side:',
  unknown: 'Check both sides:',
}

const LIKELIEST = 3

/** Returns the element that shows a finding. If the finding has no line in the sender's language, the element shows other languages. */
function findingView(finding: Finding, chosen: string, report: CheckReport): HTMLElement {
  const { language: guessed, signedMessage } = report
  const { code, side, message, fix, fixes, evidence } = finding
  const all = Object.entries(fixes)
  const only = chosen !== '' ? chosen : guessed !== undefined && guessed in fixes ? guessed : ''
  const lines = only === '' ? all.slice(0, LIKELIEST) : only === 'all' ? all : all.filter(([name]) => name === only)
  const name = h('code', {}, code)
  const terms = lines.flatMap(([language, line]) => [
    h('dt', {}, LANGUAGE_NAMES[language as Language]),
    h('dd', {}, h('code', {}, line ?? '')),
  ])
  const label = `Evidence of ${code}`
  return h(
    'article',
    { class: 'finding', 'data-code': code, 'data-side': side },
    h(
      'h3',
      {},
      h('span', { class: 'message' }, ...inline(message)),
      ' ',
      FINDINGS === '' ? name : guideLink(`${FINDINGS}#${code}`, name),
    ),
    h('p', {}, h('strong', {}, SIDES[side])),
    ...fix.split('\n').map((line) => h('p', { class: 'fix' }, ...inline(line))),
    terms.length === 0 ? undefined : h('dl', {}, ...terms),
    evidence === undefined
      ? undefined
      : h(
          'details',
          // If the signed message is known, the page shows both messages below, so the evidence stays folded.
          { open: signedMessage === undefined },
          h('summary', {}, 'Evidence'),
          h('pre', { class: 'evidence', tabindex: '0', role: 'region', 'aria-label': label }, evidence),
        ),
  )
}
