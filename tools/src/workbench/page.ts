import { isNonce } from '../../../src/rules/nonce.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { base64, hex, utf8 } from '../bytes.js'
import { parseTime } from '../capture/arrival.js'
import { LANGUAGES } from '../diagnose/finding.js'
import { isGuessable } from '../secret-strength.js'
import { countBytes, describeOddSpace } from '../text.js'
import { ByteField } from './byte-field.js'
import { type CheckInput, MISSING_BODY } from './check.js'
import { compareBytes } from './compare-bytes.js'
import { byId, h } from './dom.js'
import { card, copyable, GUIDES, guideLink } from './elements.js'
import { EXAMPLE_ARRIVAL, EXAMPLE_BODY, EXAMPLE_SIGNED, exampleCapture, TEST_SECRET } from './example.js'
import { startLive } from './live.js'
import { type CheckReport, messageOf } from './report.js'
import { describeArrival, LANGUAGE_NAMES, reportView } from './report-view.js'
import { runInWorker } from './run-in-worker.js'
import { sidesView } from './sides-view.js'
import { randomNonce, signatureOf } from './sign.js'
import { MAX_SNIPPET_BODY, SNIPPET_LANGUAGES, type SnippetLanguage, snippetOf } from './snippets.js'

/** Whether `listen` serves the page, and sends it the requests to show. */
const isLive = document.documentElement.dataset['live'] !== undefined

/** Typing starts a check after this many milliseconds without a key. */
const PAUSE = 150

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
  redraw()
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
/** Shows the last report again. */
let redraw = () => {}
let isExample = false
let timer: ReturnType<typeof setTimeout> | undefined
let changes = 0
/** Is called when somebody changes the secret or the request. */
let onChange = () => {}

language.append(
  h('option', { value: '' }, 'the likeliest languages'),
  h('option', { value: 'all' }, 'all languages'),
  ...LANGUAGES.map((one) => h('option', { value: one }, LANGUAGE_NAMES[one])),
)
language.addEventListener('change', () => redraw())
arrival.addEventListener('change', changed)
arrivalTime.addEventListener('input', changed)
byId('example').addEventListener('click', showExample)
byId('clear').addEventListener('click', () => {
  for (const field of [capture, body, payload]) field.setText('')
  leaveExample()
  changed()
})

/** Clears the arrival and the signed bytes of the example, because they say nothing about another request. */
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
  onChange()
  showSecretNotes()
  byId('arrival-time-field').hidden = arrival.value !== 'time'
  document.documentElement.dataset['state'] = 'checking'
  changes++
  clearTimeout(timer)
  // A file is checked without a pause, because nobody types it.
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
  redraw = () => {}
  const change = changes
  try {
    if (capture.isEmpty) throw new Error('Paste or drop a captured request.')
    status.textContent = 'Checking …'
    const report = await runInWorker(readInput())
    // A newer check has started, or is about to.
    if (report === undefined || change !== changes) return
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

function showReport(report: CheckReport): void {
  lastReport = report
  redraw = () => showReport(report)
  const { rules, genuine, findings } = report
  const reason = rules.find((rule) => rule.status === 'broken')?.reason
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  status.replaceChildren(
    genuine
      ? h('p', { class: 'verdict genuine' }, 'Genuine, unless it is a replay')
      : h('p', { class: 'verdict broken' }, `Not genuine: ${reason ?? 'see the findings'} (${count})`),
    isExample ? h('p', {}, 'This is the example. Paste your own request over it, and enter its secret.') : '',
  )
  const isExact = capture.isFile || genuine
  showResult(
    report,
    isExact ? [] : ['The capture was pasted. If a byte was lost, the signature differs: drop the file instead.'],
  )
}

function showResult(report: CheckReport, notes: readonly string[]): void {
  const about = `${report.request}, body of ${countBytes(report.body.length)}. ${describeArrival(report)}`
  const view = reportView(report, {
    language: language.value,
    notes: [about, ...report.notes, ...notes],
    isFolded: !isLive,
    keys: keyView(),
    assumeArrival() {
      arrival.value = 'timestamp'
      changed()
      arrival.focus()
    },
    compare() {
      select('compare')
      byId('signed').focus()
    },
  })
  result.replaceChildren(...view)
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
  const { position } = compareBytes(sender, receiver)
  if (position === undefined) {
    const isRight = lastReport.expected.includes(String(headers.signature))
    return [
      h('p', { class: 'verdict genuine' }, 'All bytes are equal'),
      card(
        'What follows',
        h('p', {}, `Both sides have ${countBytes(sender.length)}.`),
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
      ...sidesView(
        { name: 'Sender', title: 'The sender signed', bytes: sender },
        { name: 'Receiver', title: 'The receiver has', bytes: receiver },
      ),
    ),
  ]
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

if (GUIDES !== '') byId('to-guides').replaceChildren(guideLink('', '← Guides'))
byId('to-guides').hidden = GUIDES === ''
byId('csp').textContent = document.querySelector<HTMLMetaElement>('meta[http-equiv]')?.content ?? ''
freshen()
addSecret(isLive ? '' : TEST_SECRET)
if (!isLive) {
  showExample()
} else {
  startLive({
    select,
    show(report, request, time) {
      changes++
      clearTimeout(timer)
      capture.setBytes(request)
      body.setText('')
      arrival.value = 'time'
      byId('arrival-time-field').hidden = false
      arrivalTime.value = String(time)
      lastReport = report
      redraw = () => showResult(report, [])
      status.replaceChildren()
      redraw()
      showComparison()
    },
    clear() {
      changes++
      clearTimeout(timer)
      lastReport = undefined
      redraw = () => {}
      status.replaceChildren()
      result.replaceChildren()
    },
    setLanguage(name) {
      language.value = name
    },
    whenChanged(listener) {
      onChange = listener
    },
  })
}
