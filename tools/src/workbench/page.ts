import { splitSecret } from '../../../src/standard-webhooks/secret-text.js'
import { concat, utf8 } from '../bytes.js'
import { parseTime } from '../capture/arrival.js'
import { LANGUAGES } from '../diagnose/finding.js'
import { isGuessable } from '../secret-strength.js'
import { countBytes, describeOddSpace } from '../text.js'
import { ByteField } from './byte-field.js'
import { type CheckInput, MISSING_BODY } from './check.js'
import { byId, h } from './dom.js'
import { EXAMPLE_ARRIVAL, exampleCapture, TEST_SECRET } from './example.js'
import { startLive } from './live.js'
import type { CheckReport } from './report.js'
import { describeArrival, LANGUAGE_NAMES, reportView } from './report-view.js'
import { runInWorker } from './run-in-worker.js'
import { sidesView } from './sides-view.js'

/** The time without a change after which a check starts, in milliseconds. Without this pause, every key would start a check. */
const PAUSE = 150

const secret = byId<HTMLTextAreaElement>('secret')
const showSecret = byId<HTMLButtonElement>('show-secret')
const capture = new ByteField('capture', () => {
  if (isExample) leaveExample()
  changed()
})
const body = new ByteField('body', changed)
const signed = new ByteField('signed', showComparison)
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
for (const field of [secret, arrivalTime]) field.addEventListener('input', changed)
arrival.addEventListener('change', changed)
byId('example').addEventListener('click', showExample)
byId('clear').addEventListener('click', () => {
  for (const field of [capture, body]) field.setText('')
  leaveExample()
  changed()
})
showSecret.addEventListener('click', () => {
  const isShown = showSecret.getAttribute('aria-pressed') !== 'true'
  showSecret.setAttribute('aria-pressed', String(isShown))
  showSecret.textContent = isShown ? 'Hide' : 'Show'
  secret.classList.toggle('masked', !isShown)
})

function showSecretNotes(): void {
  const { value } = secret
  const odd = describeOddSpace(value)
  const notes = [
    ...(value === TEST_SECRET ? ['This is the public test secret. Everybody can sign with it.'] : []),
    ...(odd === '' ? [] : [`The secret has ${odd}, which is part of the key.`]),
    ...(value !== '' && isGuessable(value) ? ['The secret can be guessed. Use 32 random bytes.'] : []),
  ]
  byId('secret-notes').replaceChildren(...notes.map((note) => h('li', {}, note)))
}

/** Clears the time of arrival and the signed bytes, because they belong to the example. */
function leaveExample(): void {
  isExample = false
  signed.setText('')
  if (arrivalTime.value === EXAMPLE_ARRIVAL) arrival.value = 'capture'
}

function showExample(): void {
  secret.value = TEST_SECRET
  capture.setText(exampleCapture())
  body.setText('')
  arrival.value = 'time'
  arrivalTime.value = EXAMPLE_ARRIVAL
  isExample = true
  changed()
}

function changed(): void {
  showSecretNotes()
  byId('arrival-time-field').hidden = arrival.value !== 'time'
  document.documentElement.dataset['state'] = 'checking'
  changes++
  clearTimeout(timer)
  // A file does not change with each key, so it is checked at once.
  timer = setTimeout(() => void recheck(), capture.isFile ? 0 : PAUSE)
}

function readInput(): CheckInput {
  if (capture.isEmpty) throw new Error('Paste or choose a captured request.')
  if (secret.value === '') throw new Error('Enter the secret.')
  return {
    capture: capture.bytes,
    body: body.isEmpty ? undefined : body.bytes,
    secrets: splitSecret(secret.value),
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
    const input = readInput()
    status.textContent = 'Checking …'
    const report = await runInWorker(input)
    // The input has changed since this check began.
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
      ? h('p', { class: 'verdict valid' }, 'Valid, unless the request is a replay')
      : h('p', { class: 'verdict broken' }, `Invalid: ${reason ?? 'see the findings'} (${count})`),
    isExample
      ? h('p', {}, 'This is the example. Replace the example with your own request, and enter the secret.')
      : '',
  )
  const pasted = 'The capture was pasted. If a byte was lost, the signature differs: choose the file instead.'
  const about = `${report.request}, body of ${countBytes(report.body.length)}. ${describeArrival(report)}`
  const notes = [about, ...report.notes, ...(capture.isFile || valid ? [] : [pasted])]
  result.replaceChildren(...reportView(report, language.value, notes))
}

function showComparison(): void {
  byId('compare-result').replaceChildren(...comparison())
}

function comparison(): HTMLElement[] {
  if (signed.isEmpty) return []
  if (lastReport === undefined) return [h('p', {}, 'There is no request to compare with. Paste one above.')]
  const { start, body } = lastReport
  const message = concat(utf8(start), body)
  // The user may paste the whole signed message, or only the body.
  const isMessage = signed.bytes[0] === message[0]
  return isMessage ? sidesView(signed.bytes, message, message.length - body.length) : sidesView(signed.bytes, body, 0)
}

byId('csp').textContent = document.querySelector<HTMLMetaElement>('meta[http-equiv]')?.content ?? ''
// `listen` adds the attribute `data-live` to the page.
if (document.documentElement.dataset['live'] !== undefined) startLive()
else showExample()
