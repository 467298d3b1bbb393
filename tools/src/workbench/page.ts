import { isNonce } from '../../../src/rules/nonce.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { parseTime } from '../capture/arrival.js'
import { curlWithBody } from '../curl.js'
import { LANGUAGES } from '../diagnose/finding.js'
import { isGuessable } from '../secret-strength.js'
import { countBytes, describeOddSpace } from '../text.js'
import { ByteField } from './byte-field.js'
import { type CheckInput, MISSING_BODY } from './check.js'
import { byId, h } from './dom.js'
import { card, copyable, GUIDES, guideLink } from './elements.js'
import { EXAMPLE_ARRIVAL, EXAMPLE_BODY, EXAMPLE_SIGNED, exampleCapture, TEST_SECRET } from './example.js'
import { startLive } from './live.js'
import { type CheckReport, messageOf } from './report.js'
import { describeArrival, LANGUAGE_NAMES, reportView } from './report-view.js'
import { runInWorker } from './run-in-worker.js'
import { sidesView } from './sides-view.js'
import { randomNonce, signatureOf } from './sign.js'

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

function maskSecrets(): void {
  const isShown = showSecret.getAttribute('aria-pressed') === 'true'
  for (const field of secretFields) field.classList.toggle('masked', !isShown)
  showSecret.textContent = isShown ? 'Hide' : 'Show'
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
  showSecret.setAttribute('aria-pressed', String(showSecret.getAttribute('aria-pressed') !== 'true'))
  maskSecrets()
})
byId('add-secret').addEventListener('click', () => addSecret('').focus())

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

language.append(
  h('option', { value: '' }, 'the likeliest languages'),
  h('option', { value: 'all' }, 'all languages'),
  ...LANGUAGES.map((one) => h('option', { value: one }, LANGUAGE_NAMES[one])),
)
language.addEventListener('change', () => lastReport !== undefined && showReport(lastReport))
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
  const { rules, valid, findings } = report
  const reason = rules.find((rule) => rule.status === 'broken')?.reason
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`
  status.replaceChildren(
    valid
      ? h('p', { class: 'verdict valid' }, 'Valid, unless it is a replay')
      : h('p', { class: 'verdict broken' }, `Invalid: ${reason ?? 'see the findings'} (${count})`),
    isExample ? h('p', {}, 'This is the example. Paste your own request over it, and enter its secret.') : '',
  )
  const pasted = 'The capture was pasted. If a byte was lost, the signature differs: drop the file instead.'
  const about = `${report.request}, body of ${countBytes(report.body.length)}. ${describeArrival(report)}`
  const view = reportView(report, {
    language: language.value,
    notes: [about, ...report.notes, ...(capture.isFile || valid ? [] : [pasted])],
    assumeArrival() {
      arrival.value = 'timestamp'
      changed()
      arrival.focus()
    },
    compare() {
      byId<HTMLDetailsElement>('compare').open = true
      byId('signed').focus()
    },
  })
  result.replaceChildren(...view)
}

// Compare.

const signed = new ByteField('signed', showComparison)
const signedPart = byId<HTMLSelectElement>('signed-part')
signedPart.addEventListener('change', showComparison)

function showComparison(): void {
  byId('compare-result').replaceChildren(...comparison())
}

function comparison(): HTMLElement[] {
  if (signed.isEmpty) return []
  if (lastReport === undefined) return [h('p', {}, 'There is no request to compare with. Paste one above.')]
  const { headers, body } = lastReport
  let sender: Uint8Array
  try {
    sender = signed.bytes
  } catch (error) {
    return [h('p', {}, (error as Error).message)]
  }
  const receiver = signedPart.value === 'body' ? body : messageOf(headers, body)
  const sides = sidesView(
    { name: 'Sender', title: 'What you pasted has', bytes: sender },
    { name: 'Receiver', title: 'What arrived has', bytes: receiver },
    receiver.length - body.length,
  )
  return [card('Byte by byte', ...sides)]
}

// Sign.

const payload = new ByteField('payload', showSigned)
const url = byId<HTMLInputElement>('url')
const timestamp = byId<HTMLInputElement>('timestamp')
const nonce = byId<HTMLInputElement>('nonce')
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
    if (!/^https?:/.test(url.value) || !URL.canParse(url.value))
      throw new Error('The URL is not an http or https URL. Use one like https://example.com/hooks/42.')
    const bytes = payload.bytes
    const headers = [
      ['X-Timestamp', timestamp.value],
      ['X-Nonce', nonce.value],
      ['X-Signature', signatureOf(timestamp.value, nonce.value, bytes, secret)],
    ] as const
    const command = curlWithBody(new URL(url.value).href, [['Content-Type', contentTypeOf(bytes)], ...headers], bytes)
    return [
      copyable(headers.map(([name, value]) => `${name}: ${value}`).join('\n'), 'The signed headers'),
      copyable(command, 'The signed request for curl'),
      h('p', { class: 'muted' }, 'It is valid for 300 s, and once. A receiver refuses the same nonce again.'),
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

if (GUIDES !== '') byId('to-guides').replaceChildren(guideLink('', '← Guides'))
byId('to-guides').hidden = GUIDES === ''
byId('csp').textContent = document.querySelector<HTMLMetaElement>('meta[http-equiv]')?.content ?? ''
// `listen` serves the page with this mark, and sends it the requests to show.
if (document.documentElement.dataset['live'] !== undefined) {
  startLive()
} else {
  freshen()
  addSecret(TEST_SECRET)
  showExample()
}
