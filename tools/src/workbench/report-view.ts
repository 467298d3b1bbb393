import { utf8 } from '../bytes.js'
import { describeTime } from '../capture/arrival.js'
import type { Finding, LANGUAGES, Side } from '../diagnose/finding.js'
import { countBytes } from '../text.js'
import { type Part, textView } from './bytes-view.js'
import { h } from './dom.js'
import { card, GUIDES, guideLink } from './elements.js'
import { type CheckReport, messageOf, type RuleStatus } from './report.js'
import { sidesView } from './sides-view.js'

// The part of the page that explains one request.

/** What the reader chose, and what the buttons in the view do. Without a function, the view has no button for it. */
export interface ReportOptions {
  /** A language, `all`, or nothing for the likeliest ones. */
  readonly language: string
  /** Remarks below the rules. */
  readonly notes?: readonly string[]
  assumeArrival?(): void
  compare?(): void
}

export const LANGUAGE_NAMES: { readonly [language in (typeof LANGUAGES)[number]]: string } = {
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

/** Returns all that the page shows of a request: first what is wrong, then the facts. */
export function reportView(report: CheckReport, options: ReportOptions): HTMLElement[] {
  const { rules, valid, findings } = report
  const notes = options.notes ?? []
  const facts = [
    card(
      'Rules',
      h('ol', { class: 'rules' }, ...rules.map(ruleRow)),
      ...notes.map((note) => h('p', { class: 'muted' }, note)),
    ),
    card('Signature', ...signatureView(report)),
    card('Signed message', ...messageView(report)),
  ]
  return [
    // A valid request can have findings too, for example if it carries the secret itself.
    ...(findings.length === 0
      ? []
      : [card('Findings', ...arrivalView(report, options), ...findingsView(report, options))]),
    ...signedView(report),
    ...(valid ? [h('details', {}, h('summary', {}, 'What was checked'), ...facts)] : facts),
  ]
}

/** Returns the elements that show what was signed beside what arrived, if the signature confirms what was signed. */
function signedView({ signedMessage, headers, body }: CheckReport): HTMLElement[] {
  if (signedMessage === undefined) return []
  const received = messageOf(headers, body)
  const sides = [
    { name: 'Sender', title: 'The sender signed', bytes: signedMessage },
    { name: 'Receiver', title: 'The receiver has', bytes: received },
  ] as const
  return [card('What was signed, and what arrived', ...sidesView(...sides, received.length - body.length))]
}

export function describeArrival({ arrival }: CheckReport): string {
  if (arrival === undefined) return 'Time of arrival: unknown.'
  const [time, source] = arrival
  return `Time of arrival: ${describeTime(time)}, ${source === 'from --at' ? 'as you entered it' : source}.`
}

const STATUS: { readonly [status in RuleStatus]: readonly [name: string, text: string] } = {
  met: ['met', '✓ Met'],
  broken: ['broken', '✗ Broken'],
  'not checked': ['unchecked', '– Not checked'],
}

function ruleRow({ name, status, reason, detail }: CheckReport['rules'][number]): HTMLElement {
  const [className, text] = STATUS[status]
  return h(
    'li',
    { 'data-reason': reason, 'data-status': status },
    h('span', { class: `status ${className}` }, text),
    h('span', {}, name),
    h('span', { class: 'detail' }, detail),
  )
}

const SIDES: { readonly [side in Side]: string } = {
  sender: 'On the sender’s side',
  receiver: 'On the receiver’s side',
  unknown: 'Check both sides',
}

function findingsView({ findings, isBrotliNotTried, language }: CheckReport, options: ReportOptions): HTMLElement[] {
  const notTried = h(
    'div',
    { class: 'warning', id: 'not-tried' },
    h(
      'p',
      {},
      h('strong', {}, 'Not tried: Brotli. '),
      'The body is not text, or its Content-Encoding is br. This page cannot decompress Brotli.',
    ),
    h(
      'p',
      {},
      'Let the sender send the body without compression, or ask the receiver to run inbound-webhook-tools diagnose.',
    ),
  )
  const isUnexplained = findings.some(({ code }) => code === 'signature_mismatch')
  return [
    ...(isBrotliNotTried ? [notTried] : []),
    ...findings.map((finding) => findingView(finding, options.language, language)),
    ...(isUnexplained && options.compare !== undefined ? [compareHint(options.compare)] : []),
  ]
}

/** Returns the elements that ask for the time of arrival, if a finding depends on this time and the capture has none. */
function arrivalView(report: CheckReport, { assumeArrival }: ReportOptions): HTMLElement[] {
  if (assumeArrival === undefined || report.arrival !== undefined) return []
  if (!report.findings.some(({ code }) => code.startsWith('clock_'))) return []
  const button = h('button', { type: 'button' }, 'Assume the time in X-Timestamp')
  button.addEventListener('click', assumeArrival)
  return [
    h(
      'div',
      { class: 'warning', id: 'arrival-unknown' },
      h(
        'p',
        {},
        'The capture has no time of arrival, so its clocks cannot be compared. If you know the time, change “It arrived”.',
      ),
      h('p', {}, button),
    ),
  ]
}

function compareHint(compare: () => void): HTMLElement {
  const button = h('button', { type: 'button', id: 'go-to-compare' }, 'Compare the bytes')
  button.addEventListener('click', compare)
  return h(
    'div',
    {},
    h('p', {}, 'Or print the bytes that the sender signs. This page shows the first one that differs.'),
    button,
  )
}

function codeView(code: string): HTMLElement {
  const name = h('code', {}, code)
  return GUIDES === '' ? name : guideLink(`debug/findings.html#${code}`, name)
}

/** How many languages a finding shows by default. In `fixes`, the likeliest language comes first. */
const LIKELIEST = 3

/**
 * Returns the element that shows a finding.
 *
 * @param chosen - the language that the reader chose.
 * @param guessed - the sender's language. A finding without a line for this language shows those of other languages.
 */
function findingView(finding: Finding, chosen: string, guessed: string | undefined): HTMLElement {
  const { code, side, message, fix, fixes, evidence } = finding
  const all = Object.entries(fixes)
  const only = chosen !== '' ? chosen : guessed !== undefined && guessed in fixes ? guessed : ''
  const lines = only === '' ? all.slice(0, LIKELIEST) : only === 'all' ? all : all.filter(([name]) => name === only)
  return h(
    'article',
    { class: 'finding', 'data-code': code, 'data-side': side },
    h('h3', {}, h('span', { class: 'message' }, message), ' ', codeView(code)),
    h('p', {}, h('strong', {}, `${SIDES[side]}: `)),
    ...fix.split('\n').map((line) => h('p', { class: 'fix' }, line)),
    lines.length === 0
      ? undefined
      : h(
          'dl',
          {},
          ...lines.flatMap(([name, line]) => [
            h('dt', {}, LANGUAGE_NAMES[name as keyof typeof LANGUAGE_NAMES]),
            h('dd', {}, h('code', {}, line ?? '')),
          ]),
        ),
    evidence === undefined
      ? undefined
      : h(
          'details',
          { open: true },
          h('summary', {}, 'Evidence'),
          h(
            'pre',
            { class: 'wrap evidence', tabindex: '0', role: 'region', 'aria-label': `Evidence of ${code}` },
            evidence,
          ),
        ),
  )
}

function signatureView({ headers, expected }: CheckReport): HTMLElement[] {
  const received = headers.signature
  const pairs: [string, HTMLElement][] = expected.map((one, index) => [
    expected.length > 1 ? `Expected with secret ${index + 1}` : 'Expected',
    marked(one, received ?? one),
  ])
  pairs.push([
    'Received in X-Signature',
    received === undefined ? h('span', {}, 'missing') : h('span', { class: 'mono' }, received),
  ])
  const canBeExpected = headers.timestamp !== undefined && headers.nonce !== undefined
  return [
    h(
      'dl',
      { class: 'pair' },
      ...(canBeExpected ? pairs : pairs.slice(-1)).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
    h(
      'p',
      { class: 'muted' },
      'One other bit in the message or the key changes the whole signature, so its digits do not show the cause.',
    ),
  ]
}

/** At most this many different digits are marked. After another input, nearly all digits differ, so marks would show nothing. */
const MAX_MARKED = 16

/** Returns text with marks on the characters that differ from another text, if these characters are few. */
function marked(text: string, other: string): HTMLElement {
  const pieces = [...text].map((character, index) =>
    other[index] === character ? character : h('mark', {}, character),
  )
  const isMarked = pieces.filter((piece) => typeof piece !== 'string').length <= MAX_MARKED
  return h('span', { class: 'mono' }, ...(isMarked ? pieces : [text]))
}

function messageView({ headers, body }: CheckReport): HTMLElement[] {
  const { timestamp = '', nonce = '' } = headers
  const colon: Part = { name: 'colon', bytes: utf8(':') }
  const parts: Part[] = [
    { name: 'timestamp', bytes: utf8(timestamp) },
    colon,
    { name: 'nonce', bytes: utf8(nonce) },
    colon,
    { name: 'body', bytes: body },
  ]
  const legend = h(
    'ul',
    { class: 'legend', 'aria-label': 'Parts' },
    ...[
      ['timestamp', countBytes(timestamp.length)],
      ['nonce', countBytes(nonce.length)],
      ['body', countBytes(body.length)],
    ].map(([name = '', size = '']) => h('li', {}, h('span', { class: name }, `${name}, ${size}`))),
  )
  return [
    h('p', {}, 'The receiver computes HMAC over exactly these bytes. Invisible characters are drawn as symbols.'),
    legend,
    textView(parts, 'The signed message as text'),
  ]
}
