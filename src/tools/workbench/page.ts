import { isNonce } from '../../rules/nonce.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { base64, hex, utf8 } from '../bytes.js'
import { describeTime, parseTime } from '../capture/arrival.js'
import { type Finding, LANGUAGES, type Side } from '../diagnose/finding.js'
import { isGuessable } from '../secret-strength.js'
import { countBytes, describeOddSpace } from '../text.js'
import { ByteField } from './byte-field.js'
import { hexView, type Part, textView } from './bytes-view.js'
import { type CheckInput, type CheckReport, compareBytes, MISSING_BODY, messageOf, type RuleStatus } from './check.js'
import { byId, h } from './dom.js'
import { EXAMPLE_ARRIVAL, EXAMPLE_BODY, EXAMPLE_SIGNED, exampleCapture, TEST_SECRET } from './example.js'
import { runInWorker } from './run-in-worker.js'
import { randomNonce, signatureOf } from './sign.js'
import { MAX_SNIPPET_BODY, SNIPPET_LANGUAGES, type SnippetLanguage, snippetOf } from './snippets.js'
import { timeline } from './timeline.js'

/** Typing starts a check after this many milliseconds without a key. */
const PAUSE = 150

/** Where the guides are, with a slash at the end. Empty if the page does not know. */
const GUIDES = document.documentElement.dataset['guides'] ?? ''

/** Returns a link to a guide. It opens a new tab, because this one has the secret and the request. */
const guideLink = (page: string, ...children: (Node | string)[]) =>
  h('a', { href: `${GUIDES}${page}`, target: '_blank', rel: 'noopener noreferrer' }, ...children)

// The secrets.

const secretFields: HTMLTextAreaElement[] = []
const showSecret = byId<HTMLButtonElement>('show-secret')

function addSecret(value: string): HTMLTextAreaElement {
  const number = secretFields.length + 1
  const field = h('textarea', {
    id: `secret-${number}`,
    class: 'secret masked',
    rows: '1',
    spellcheck: 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    'aria-describedby': 'secret-notes',
  })
  field.value = value
  field.addEventListener('input', changed)
  secretFields.push(field)
  const name = number === 1 ? 'The secret of the webhook, as text' : `Secret ${number}`
  byId('secrets').append(h('label', { for: field.id }, name), field)
  maskSecrets()
  return field
}

const isSecretShown = () => showSecret.getAttribute('aria-pressed') === 'true'

function maskSecrets(): void {
  for (const field of secretFields) field.classList.toggle('masked', !isSecretShown())
  showSecret.textContent = isSecretShown() ? 'Hide' : 'Show'
}

function secrets(): string[] {
  const all = secretFields.map(({ value }) => value).filter((value) => value !== '')
  if (all.length === 0) throw new Error('Enter the secret.')
  return all
}

function showSecretNotes(): void {
  const notes = secretFields.flatMap(({ value }, index) => {
    if (value === '') return []
    const name = secretFields.length > 1 ? `Secret ${index + 1}` : 'The secret'
    const odd = describeOddSpace(value)
    return [
      ...(value === TEST_SECRET ? ['This is the public test secret. Everybody can sign with it.'] : []),
      ...(odd === '' ? [] : [`${name} has ${odd}, which is part of the key.`]),
      ...(isGuessable(value) ? [`${name} can be guessed: it is short, or made of words. Use 32 random bytes.`] : []),
    ]
  })
  byId('secret-notes').replaceChildren(...notes.map((note) => h('li', {}, note)))
}

showSecret.addEventListener('click', () => {
  showSecret.setAttribute('aria-pressed', String(!isSecretShown()))
  maskSecrets()
  if (lastReport !== undefined) showReport(lastReport)
})
byId('add-secret').addEventListener('click', () => addSecret('').focus())
byId('new-secret').addEventListener('click', () => {
  const [first] = secretFields
  if (first === undefined) return
  first.value = base64(crypto.getRandomValues(new Uint8Array(32)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
  changed()
})

// Tabs.

const TABS = ['check', 'compare', 'sign'] as const

function select(name: (typeof TABS)[number]): void {
  for (const one of TABS) {
    const tab = byId(`tab-${one}`)
    tab.setAttribute('aria-selected', String(one === name))
    tab.tabIndex = one === name ? 0 : -1
    byId(`panel-${one}`).hidden = one !== name
  }
}

for (const [index, name] of TABS.entries()) {
  const tab = byId(`tab-${name}`)
  tab.addEventListener('click', () => select(name))
  tab.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[key]
    const to = key === 'Home' ? 0 : key === 'End' ? TABS.length - 1 : step && (index + step) % TABS.length
    const next = to === undefined ? undefined : TABS[to]
    if (next === undefined) return
    select(next)
    byId(`tab-${next}`).focus()
  })
}

// Check.

const capture = new ByteField('capture', () => {
  if (isExample) leaveExample()
  changed()
})
const body = new ByteField('body', changed)
const arrival = byId<HTMLSelectElement>('arrival')
const arrivalTime = byId<HTMLInputElement>('arrival-time')
const language = byId<HTMLSelectElement>('language')
const status = byId('check-status')
const result = byId('check-result')
let lastReport: CheckReport | undefined
let isExample = false
let timer: ReturnType<typeof setTimeout> | undefined
let changes = 0

const LANGUAGE_NAMES: { readonly [language in (typeof LANGUAGES)[number]]: string } = {
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

language.append(
  h('option', { value: '' }, 'the likeliest languages'),
  h('option', { value: 'all' }, 'all languages'),
  ...LANGUAGES.map((one) => h('option', { value: one }, LANGUAGE_NAMES[one])),
)
language.addEventListener('change', () => lastReport && showReport(lastReport))
arrival.addEventListener('change', changed)
arrivalTime.addEventListener('input', changed)
byId('example').addEventListener('click', showExample)
byId('clear').addEventListener('click', () => {
  for (const field of [capture, body, payload]) field.setText('')
  leaveExample()
  changed()
})

/** The arrival and the signed bytes of the example say nothing about another request. */
function leaveExample(): void {
  isExample = false
  signed.setText('')
  if (arrivalTime.value === EXAMPLE_ARRIVAL) arrival.value = 'capture'
}

function showExample(): void {
  for (const [index, field] of secretFields.entries()) field.value = index === 0 ? TEST_SECRET : ''
  capture.setText(exampleCapture())
  body.setText('')
  arrival.value = 'time'
  arrivalTime.value = EXAMPLE_ARRIVAL
  isExample = true
  signed.setText(EXAMPLE_SIGNED)
  payload.setText(EXAMPLE_BODY)
  changed()
}

function changed(): void {
  showSecretNotes()
  byId('arrival-time-field').hidden = arrival.value !== 'time'
  document.documentElement.dataset['state'] = 'checking'
  changes++
  clearTimeout(timer)
  // A file does not change while it is typed.
  timer = setTimeout(() => void recheck(), capture.isFile ? 0 : PAUSE)
  showSigned()
}

function readInput(): CheckInput {
  return {
    capture: capture.bytes,
    body: body.isEmpty ? undefined : body.bytes,
    secrets: secrets(),
    arrival: arrival.value === 'time' ? enteredTime() : arrival.value === 'timestamp' ? 'timestamp' : undefined,
    now: Date.now(),
  }
}

function enteredTime(): string {
  const text = arrivalTime.value.trim()
  try {
    parseTime(text)
    return text
  } catch {
    throw new Error('This is not a time. Use Unix time (1700000000), or ISO 8601 with a zone (2023-11-14T22:13:20Z).')
  }
}

async function recheck(): Promise<void> {
  lastReport = undefined
  const change = changes
  try {
    if (capture.isEmpty) throw new Error('Paste or drop a captured request.')
    status.textContent = 'Checking …'
    const report = await runInWorker(readInput())
    // A newer check has started, or is about to.
    if (report === undefined || change !== changes) return
    lastReport = report
    showReport(report)
  } catch (error) {
    if (change !== changes) return
    status.textContent = error instanceof Error ? error.message : String(error)
    if (status.textContent === MISSING_BODY) byId<HTMLDetailsElement>('body-details').open = true
    result.replaceChildren()
  }
  showComparison()
  document.documentElement.dataset['state'] = 'done'
}

function describeArrival({ arrival }: CheckReport): string {
  if (arrival === undefined) return 'Time of arrival: unknown.'
  const [time, source] = arrival
  return `Time of arrival: ${describeTime(time)}, ${source === 'from --at' ? 'as you entered it' : source}.`
}

function showReport(report: CheckReport): void {
  const { rules, genuine, findings, isBrotliNotTried } = report
  const reason = rules.find((rule) => rule.status === 'broken')?.reason
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  status.replaceChildren(
    genuine
      ? h('p', { class: 'verdict genuine' }, 'Genuine, unless it is a replay')
      : h('p', { class: 'verdict broken' }, `Not genuine: ${reason ?? 'see the findings'} (${count})`),
    isExample ? h('p', {}, 'This is the example. Paste your own request over it, and enter its secret.') : '',
  )
  const notes = [
    `${report.request}, body of ${countBytes(report.body.length)}. ${describeArrival(report)}`,
    ...report.notes,
    ...(capture.isFile || genuine
      ? []
      : ['The capture was pasted. If a byte was lost, the signature differs: drop the file instead.']),
  ]
  const details = [
    card(
      'Rules',
      h('ol', { class: 'rules' }, ...rules.map(ruleRow)),
      ...notes.map((note) => h('p', { class: 'muted' }, note)),
    ),
    card('Signature', ...signatureView(report)),
    card('Signed message', ...messageView(report)),
    card('Key', ...keyView()),
    card('Clock', timeline(report.headers.timestamp ?? '', report.arrival?.[0])),
  ]
  result.replaceChildren(
    // A genuine request can have findings too, for example if it carries the secret itself.
    ...(findings.length === 0
      ? []
      : [card('Findings', ...arrivalView(report), ...findingsView(findings, isBrotliNotTried))]),
    ...(genuine ? [h('details', {}, h('summary', {}, 'What was checked'), ...details)] : details),
  )
}

const card = (title: string, ...children: (Node | string)[]) =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children)

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

function findingsView(findings: readonly Finding[], isBrotliNotTried: boolean): HTMLElement[] {
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
      'Let the sender send the body without compression, or ask the receiver to run inbound-webhook-auth diagnose.',
    ),
  )
  const isUnexplained = findings.some(({ code }) => code === 'signature_mismatch')
  return [
    ...(isBrotliNotTried ? [notTried] : []),
    ...findings.map(findingView),
    ...(isUnexplained ? [compareHint()] : []),
  ]
}

/** Asks for the time of the arrival, if a finding depends on it and the capture has none. */
function arrivalView(report: CheckReport): HTMLElement[] {
  if (report.arrival !== undefined || !report.findings.some(({ code }) => code.startsWith('clock_'))) return []
  const button = h('button', { type: 'button' }, 'Assume the time in X-Timestamp')
  button.addEventListener('click', () => {
    arrival.value = 'timestamp'
    changed()
    arrival.focus()
  })
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

function compareHint(): HTMLElement {
  const button = h('button', { type: 'button', id: 'go-to-compare' }, 'Compare the bytes')
  button.addEventListener('click', () => {
    select('compare')
    byId('signed').focus()
  })
  return h(
    'div',
    {},
    h('p', {}, 'Or print the bytes that the sender signs. This page shows the first one that differs.'),
    button,
  )
}

function codeView(code: string): HTMLElement {
  const name = h('code', {}, code)
  return GUIDES === '' ? name : guideLink(`reference/findings.html#${code}`, name)
}

/** How many languages a finding shows by default. `fixes` has the likeliest first. */
const LIKELIEST = 3

function findingView({ code, side, message, fix, fixes, evidence }: Finding): HTMLElement {
  const all = Object.entries(fixes)
  const isOne = language.value !== '' && language.value !== 'all'
  const lines = isOne
    ? all.filter(([name]) => name === language.value)
    : all.slice(0, language.value === '' ? LIKELIEST : undefined)
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

/** More digits than this differ only because one other bit changes them all. */
const MAX_MARKED = 16

/** Marks the characters that differ from another text, if they are few. */
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
    h('details', {}, h('summary', {}, 'In hex'), hexView(parts, 'The signed message in hex')),
  ]
}

function keyView(): HTMLElement[] {
  return secretFields
    .filter(({ value }) => value !== '')
    .map(({ value }, index) => {
      const bytes = utf8(value)
      const name = index === 0 ? 'The key' : `Key ${index + 1}`
      const shown = isSecretShown()
        ? h('code', {}, hex(bytes).replace(/..(?=.)/g, '$& '))
        : 'Choose “Show” at the secret to see them.'
      return h('p', {}, `${name} is the secret as UTF-8: ${countBytes(bytes.length)}. `, shown)
    })
}

// Compare.

const signed = new ByteField('signed', () => showComparison())
const signedPart = byId<HTMLSelectElement>('signed-part')
signedPart.addEventListener('change', () => showComparison())

/** How many bytes are shown before and after the first difference. */
const CONTEXT = 24

function showComparison(): void {
  byId('compare-result').replaceChildren(...comparison())
}

function comparison(): HTMLElement[] {
  if (signed.isEmpty) return []
  if (lastReport === undefined) return [h('p', {}, 'There is no request to compare with. Paste one under Check.')]
  const { headers, body } = lastReport
  const isBody = signedPart.value === 'body'
  const receiver = isBody ? body : messageOf(headers, body)
  let sender: Uint8Array
  try {
    sender = signed.bytes
  } catch (error) {
    return [h('p', {}, (error as Error).message)]
  }
  const { position, ...bytes } = compareBytes(sender, receiver)
  const lengths = h(
    'p',
    {},
    `The sender signed ${countBytes(sender.length)}. The receiver has ${countBytes(receiver.length)}.`,
  )
  if (position === undefined) {
    const isRight = lastReport.expected.includes(String(headers.signature))
    return [
      h('p', { class: 'verdict genuine' }, 'All bytes are equal'),
      card(
        'What follows',
        lengths,
        h(
          'p',
          {},
          isRight
            ? 'The signature matches too.'
            : 'The signature still differs, so the keys differ: compare the secrets on both sides, or the sender made the digest in another way.',
        ),
      ),
    ]
  }
  const prefix = receiver.length - body.length
  const place =
    position >= prefix && !isBody ? `byte ${position} (byte ${position - prefix} of the body)` : `byte ${position}`
  return [
    h('p', { class: 'verdict broken' }, `The first difference is at ${place}`),
    card(
      'Around it',
      h(
        'dl',
        { class: 'pair' },
        h('dt', {}, `Sender: ${bytes.sender ?? 'its bytes end here'}`),
        h('dd', {}, contextOf(sender, position, 'The sender’s bytes around the first difference')),
        h('dt', {}, `Receiver: ${bytes.receiver ?? 'its bytes end here'}`),
        h('dd', {}, contextOf(receiver, position, 'The receiver’s bytes around the first difference')),
      ),
      lengths,
    ),
  ]
}

function contextOf(bytes: Uint8Array, position: number, label: string): HTMLElement {
  const start = Math.max(0, position - CONTEXT)
  return textView(
    [
      { name: 'before', bytes: utf8(start > 0 ? '…' : '') },
      { name: 'before', bytes: bytes.subarray(start, position) },
      { name: 'different', bytes: bytes.subarray(position, position + 1) },
      { name: 'after', bytes: bytes.subarray(position + 1, position + CONTEXT) },
      { name: 'after', bytes: utf8(position + CONTEXT < bytes.length ? '…' : '') },
    ],
    label,
  )
}

// Sign.

const payload = new ByteField('payload', showSigned)
const url = byId<HTMLInputElement>('url')
const timestamp = byId<HTMLInputElement>('timestamp')
const nonce = byId<HTMLInputElement>('nonce')
let snippetLanguage: SnippetLanguage = 'curl'
for (const field of [url, timestamp, nonce]) field.addEventListener('input', showSigned)
byId('fresh').addEventListener('click', freshen)

function freshen(): void {
  timestamp.value = String(Math.floor(Date.now() / 1000))
  nonce.value = randomNonce()
  showSigned()
}

function showSigned(): void {
  byId('sign-result').replaceChildren(...signedView())
}

function signedView(): HTMLElement[] {
  try {
    const [secret = ''] = secrets()
    if (!isTimestamp(timestamp.value))
      throw new Error('X-Timestamp is not Unix time in seconds. Use decimal digits only.')
    if (!isNonce(nonce.value)) throw new Error('X-Nonce is not 1 to 128 visible ASCII characters.')
    if (!URL.canParse(url.value) || !/^https?:/.test(url.value))
      throw new Error('The URL is none. Use one like https://example.com/hooks/42.')
    const bytes = payload.bytes
    const headers = [
      ['X-Timestamp', timestamp.value],
      ['X-Nonce', nonce.value],
      ['X-Signature', signatureOf(timestamp.value, nonce.value, bytes, secret)],
    ] as const
    const request = {
      url: new URL(url.value).href,
      headers: [['Content-Type', contentTypeOf(bytes)] as const, ...headers],
      body: bytes,
    }
    return [
      card('Headers', copyable(headers.map(([name, value]) => `${name}: ${value}`).join('\n'), 'The signed headers')),
      card(
        'Request',
        h('p', {}, h('label', { for: 'snippet-language' }, 'Write it for'), snippetSelect()),
        bytes.length > MAX_SNIPPET_BODY
          ? h(
              'p',
              {},
              'The body is longer than 1 MiB, so it is not shown as code. Send it from its file, with the headers above.',
            )
          : copyable(snippetOf(snippetLanguage, request), `The request for ${snippetLanguage}`),
        h('p', { class: 'muted' }, 'It is valid for 300 s, and once. A receiver refuses the same nonce again.'),
      ),
    ]
  } catch (error) {
    return [h('p', { role: 'status' }, (error as Error).message)]
  }
}

function contentTypeOf(bytes: Uint8Array): string {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return 'application/json'
  } catch {
    return 'application/octet-stream'
  }
}

function snippetSelect(): HTMLElement {
  const choice = h(
    'select',
    { id: 'snippet-language' },
    ...SNIPPET_LANGUAGES.map((one) => h('option', { selected: one === snippetLanguage }, one)),
  )
  choice.addEventListener('change', () => {
    snippetLanguage = choice.value as SnippetLanguage
    showSigned()
    byId('snippet-language').focus()
  })
  return choice
}

function copyable(text: string, label: string): HTMLElement {
  const code = h('pre', { class: 'wrap', tabindex: '0', role: 'region', 'aria-label': label }, text)
  const button = h('button', { type: 'button' }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      // Without permission, the text is selected for the user's own copy command.
      getSelection()?.selectAllChildren(code)
      button.textContent = 'Selected: press Ctrl+C'
    }
  })
  return h('div', {}, code, button)
}

if (GUIDES !== '') byId('to-guides').replaceChildren(guideLink('', '← Guides'))
byId('to-guides').hidden = GUIDES === ''
byId('csp').textContent = document.querySelector<HTMLMetaElement>('meta[http-equiv]')?.content ?? ''
addSecret(TEST_SECRET)
freshen()
showExample()
