import { sign } from '../../../index.js'
import { WINDOW_SECONDS } from '../../../rules/timestamp.js'
import { type Header, valuesOf } from '../../capture/headers.js'
import { maskSecrets } from '../../diagnose/mask-secrets.js'
import { type Context, defineCommand, type Outcome, UsageError } from '../command.js'
import { contentTypeOf, type EndpointResponse, isAccepted, isRejected, parseUrl, sendRequest } from '../http-client.js'
import { readInput } from '../input/read-input.js'
import { parseHeaderOptions, replaceHeaders } from '../input/received.js'
import { readSaved, SAVED_OPTIONS, type SavedRequest } from '../input/saved-request.js'
import { loadSecret, SECRET_OPTIONS, weaknessNotes } from '../input/secret-source.js'
import { printable, type Style, wrapText } from '../output/terminal.js'
import { type Attempt, type Endpoint, findCause, isRight, sendAttempts } from './attempts.js'

export const send = defineCommand({
  name: 'send',
  summary: 'Signs a body or takes a saved request, and sends it. It can also send attacks.',
  operands: ['URL', '[file|-]'],
  options: {
    ...SECRET_OPTIONS,
    header: {
      value: "'Name: value'",
      kind: 'several',
      help: 'adds or replaces a header. The signature does not cover it',
    },
    ...SAVED_OPTIONS,
    timeout: { value: 'SECONDS', kind: 'number', help: 'how long to wait for each response. Default: 10' },
    replay: { help: 'attack: sends the same request again' },
    tamper: { help: 'attack: changes one byte of the body after signing' },
    age: {
      value: 'SECONDS',
      kind: 'number',
      help: `attack: signs a timestamp of this age, such as ${WINDOW_SECONDS + 1}. With --age=-${WINDOW_SECONDS + 1}, it is in the future`,
    },
    resplit: { help: 'attack: splits the signed message differently between nonce and body' },
  },
  notes: [
    'You can combine attacks. A genuine request goes first, because an endpoint that rejects everything proves nothing. Attack only your own endpoints.',
    'Redirects are not followed. Content-Type is application/json if the body is JSON.',
    'Exit code: 0 if the response is 2xx and every attack gets 401, 403 or 400. 1 otherwise. 2 error.',
  ],

  async run(call, context, style) {
    const { values, operands } = call
    const url = parseUrl(operands[0])
    const extra = parseHeaderOptions(values.header)
    const isAttack = values.replay || values.tamper || values.resplit || values.age !== undefined
    const saved = await readSaved(call, context)
    if (saved !== undefined && !values.resign) {
      if (isAttack) throw new UsageError('Attacks need a new signature. Pass --resign and the secret too.')
      return sendSaved(saved, { url, extra, timeout: values.timeout }, context, style)
    }
    const body = saved?.body ?? (await readInput(operands[1], 'the body', context))
    const loaded = await loadSecret(call, context)
    const { secret } = loaded
    const notes = [...loaded.notes, ...weaknessNotes(loaded), ...(saved?.notes ?? [])]
    if (body.length === 0) notes.push('The body is empty.')

    const endpoint: Endpoint = {
      post: async (signed, sent) => {
        const own: readonly Header[] = [
          ['User-Agent', 'inbound-webhook-auth'],
          ['Content-Type', contentTypeOf(sent)],
        ]
        const headers: Header[] = [
          ['Host', url.host],
          ...replaceHeaders(saved?.headers ?? own, Object.entries(signed)),
          ['Content-Length', String(sent.length)],
        ]
        const method = saved?.method ?? 'POST'
        const request = { method, url, headers: replaceHeaders(headers, extra), body: sent }
        return maskResponse(await sendRequest(request, values.timeout ?? 10), secret)
      },
      sign: (nonce, ageSeconds) => {
        const now = context.clock.now() / 1000
        // Rounds up for the future, because the request takes time.
        const timestamp = (ageSeconds < 0 ? Math.ceil(now) : Math.floor(now)) - ageSeconds
        return sign(body, secret, { nonce, timestamp })
      },
    }
    const attempts = await sendAttempts(endpoint, body, values)
    const ok = attempts.every(isRight)
    const cause = findCause(attempts)
    if (attempts.some(({ response }) => response.status === 400)) notes.push(NOTE_ON_400)
    return {
      exitCode: ok ? 0 : 1,
      text: isAttack
        ? attacksText(attempts, ok, cause, style)
        : attempts.map((one) => responseText(one, style)).join(''),
      document: { ok, ...(cause === undefined ? {} : { cause }), attempts: attempts.map(attemptDocument), notes },
      notes,
    }
  },
})

/** Masks the secret in a response, because an endpoint under development may print what it has. */
function maskResponse({ status, statusText, headers, body }: EndpointResponse, secret: string): EndpointResponse {
  const mask = (text: string) => maskSecrets(text, [secret])
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(mask) : mask(String(value)),
  ])
  return { status, statusText: mask(statusText), headers: Object.fromEntries(masked), body: mask(body) }
}

/** Sends a saved request with its own signature. */
async function sendSaved(
  { method, headers, body, notes: read }: SavedRequest,
  { url, extra, timeout = 10 }: { url: URL; extra: readonly Header[]; timeout: number | undefined },
  { clock }: Context,
  style: Style,
): Promise<Outcome> {
  const lines: Header[] = [['Host', url.host], ...headers, ['Content-Length', String(body.length)]]
  const response = await sendRequest({ method, url, headers: replaceHeaders(lines, extra), body }, timeout)
  const attempt: Attempt = { kind: 'genuine', sent: 'the saved request', expected: 'accepted', response }
  const age = Math.round(clock.now() / 1000 - Number(valuesOf(headers, 'x-timestamp').join()))
  const isOld = age > WINDOW_SECONDS && !isAccepted(response)
  const notes = [
    ...read,
    ...(isOld ? [`Its X-Timestamp is ${age} s old, so a correct endpoint refuses it. --resign signs it again.`] : []),
  ]
  const ok = isRight(attempt)
  return {
    exitCode: ok ? 0 : 1,
    text: responseText(attempt, style),
    document: { ok, attempts: [attemptDocument(attempt)], notes },
    notes,
  }
}

const NOTE_ON_400 =
  'Status 400 counts as rejected, but other errors have it too. Answer 401 instead: it always means a rejection.'

function attemptDocument(attempt: Attempt): object {
  const { kind, sent, expected, response } = attempt
  return { kind, sent, expected, right: isRight(attempt), ...response }
}

function statusOf({ status, statusText }: EndpointResponse): string {
  return printable(`${status || ''} ${statusText}`).trim()
}

function responseText({ response }: Attempt, style: Style): string {
  const label = isAccepted(response) ? style(['green', 'bold'], 'Accepted') : style(['red', 'bold'], 'Not accepted')
  const body = printable(response.body, '\n\t').trimEnd()
  const lines = [`${label}: ${statusOf(response)}`, ...(body === '' ? [] : ['', body]), ...hintsOn(response)]
  return `${lines.join('\n')}\n`
}

function hintsOn(response: EndpointResponse): string[] {
  const { status, headers } = response
  if (isRejected(response)) {
    return ["The endpoint's log has the reason. To find the cause, capture the request there and diagnose it."]
  }
  if (status >= 300 && status <= 399)
    return [
      `Redirects are not followed. ${headers.location === undefined ? 'It has no Location.' : `Location: ${printable(headers.location)}`}`,
    ]
  if (status === 503) return ['The endpoint did not decide. Its nonce store may be down. Send again later.']
  return status >= 500 ? ["The handler failed. The endpoint's log has the error."] : []
}

const EXPECTED = { accepted: '2xx', rejected: '401', either: '2xx or 401' } as const

function attacksText(attempts: readonly Attempt[], ok: boolean, cause: string | undefined, style: Style): string {
  const width = Math.max(...attempts.map(({ sent }) => sent.length))
  const row = (sent: string, expected: string, response: string) =>
    `${sent.padEnd(width)}   ${expected.padEnd(10)}   ${response.padEnd(16)}`
  const rows = attempts.map((attempt) => {
    const { sent, expected, response } = attempt
    const result = isRight(attempt) ? style('green', 'as expected') : style(['red', 'bold'], faultOf(attempt))
    return `${row(sent, EXPECTED[expected], statusOf(response))}   ${result}`
  })
  return [
    style('dim', row('sent', 'expected', 'response').trimEnd()),
    ...rows,
    '',
    wrapText(cause ?? conclusion(attempts, ok)),
    '',
  ].join('\n')
}

function faultOf({ expected, response }: Attempt): string {
  if (expected !== 'rejected') return 'NOT ACCEPTED'
  return isAccepted(response) ? 'WRONGLY ACCEPTED' : 'UNEXPECTED STATUS'
}

function conclusion(attempts: readonly Attempt[], ok: boolean): string {
  const [genuine] = attempts
  if (!ok && genuine !== undefined && attempts.length === 1) {
    const [hint = genuine.response.status === 0 ? 'Check that the server runs, and the URL.' : 'Check the URL.'] =
      hintsOn(genuine.response)
    return `The endpoint did not accept the genuine request, so no attack was sent. ${hint}`
  }
  if (!ok) return 'Some responses are not as expected.'
  // An age within the window is not an attack, nor is a nonce with a colon.
  return attempts.some(({ expected }) => expected === 'rejected')
    ? 'The endpoint rejected every attack.'
    : 'Every response is as expected. No attack was sent.'
}
