import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type SignedHeaders, sign } from '../../index.js'
import { WINDOW_SECONDS } from '../../rules/timestamp.js'
import { type Context, defineCommand, type Options, UsageError } from '../command.js'
import { parseHeaderOption } from '../input/captured-request.js'
import { readInput } from '../input/read-input.js'
import { readSecret, SECRET_OPTIONS, secretNotes } from '../input/secret-source.js'
import type { EndpointResponse } from '../output/http.js'
import { contentTypeOf, type HeaderLine, MAX_RESPONSE_BYTES, NoResponse, parseUrl, post } from '../output/http.js'
import { alignColumns, type Style } from '../output/layout.js'
import { printable } from '../output/printable.js'
import { type Attempt, type Endpoint, isAccepted, isRejected, isRight, sendAttempts } from './attempts.js'

/** An age this near to the edge of the window is refused, because the request takes time. In seconds. */
const EDGE_SECONDS = 10

const OPTIONS = {
  ...SECRET_OPTIONS,
  header: { type: 'string', multiple: true, value: "'Name: value'", help: 'another header to send. It is not signed' },
  timeout: { type: 'string', value: 'SECONDS', help: 'how long to wait for each response. Default: 10' },
  replay: { type: 'boolean', help: 'attack: sends the same request again' },
  tamper: { type: 'boolean', help: 'attack: changes a byte of the body after signing' },
  age: {
    type: 'string',
    value: 'SECONDS',
    help: `attack: signs a timestamp of this age. The endpoint must reject ${WINDOW_SECONDS + 1}, and --age=-${WINDOW_SECONDS + 1}, which is in the future. It must accept up to ${WINDOW_SECONDS - EDGE_SECONDS}`,
  },
  recut: { type: 'boolean', help: 'attack: splits the signed message differently into nonce and body' },
} as const satisfies Options

export const send = defineCommand({
  name: 'send',
  summary: 'Signs a body, sends it by POST and prints the response. Can also send attacks.',
  operands: 'URL [file|-]',
  maxOperands: 2,
  options: OPTIONS,
  notes: [
    'Attacks can be combined. A genuine request goes first, because an endpoint that rejects everything proves nothing. Attack your own endpoints only.',
    'Redirects are not followed. Content-Type is application/json if the body is JSON. --header replaces it.',
    'Exit code: 0 if the response is 2xx and attacks are rejected with 401 or 403. 1 if not, or without a response. 2 error.',
  ],

  async run(call, context, style) {
    const { values, operands } = call
    const [target, path] = operands
    if (target === undefined) throw new UsageError('Missing URL. Usage: inbound-webhook-auth send URL [file|-]')
    const url = parseUrl(target)
    const timeoutSeconds = parseTimeout(values.timeout)
    const age = parseAge(values.age)
    const extra = (values.header ?? []).map(parseExtraHeader)
    const body = await readInput(path, 'the body', context)
    const named = await readSecret(call, context)
    const notes = [...secretNotes(named), ...(body.length === 0 ? ['the body is empty'] : [])]

    const endpoint: Endpoint = {
      post: (headers, sent) => post(url, headerLines(url, headers, sent, extra), sent, timeoutSeconds),
      sign: (split, seconds) =>
        sign(split.body, named.secret, { nonce: split.nonce, timestamp: timestampOfAge(context, seconds) }),
    }
    const attempts: Attempt[] = []
    let failure: string | undefined
    try {
      for await (const attempt of sendAttempts(endpoint, body, { ...values, age })) attempts.push(attempt)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      failure = error.message
    }
    const [first] = attempts
    if (first !== undefined) notes.push(...clockNotes(first.response, context.clock.now()))

    const ok = failure === undefined && attempts.every(isRight)
    const isAttack = values.replay || values.tamper || values.recut || age !== undefined
    const text = [
      ...(isAttack ? [attemptsTable(attempts, style)] : attempts.map(({ response }) => responseText(response, style))),
      ...(failure === undefined ? [] : [`${style('red', style('bold', 'No response'))}: ${failure}\n`]),
      ...(isAttack && failure === undefined ? [`\n${conclusion(attempts, ok)}\n`] : []),
    ]
    return {
      exitCode: ok ? 0 : 1,
      text: text.join(''),
      document: { ok, attempts: attempts.map(attemptDocument), ...(failure === undefined ? {} : { failure }), notes },
      notes,
    }
  },
})

function parseTimeout(text = '10'): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds === 0 || seconds > 3600) {
    throw new UsageError('--timeout must be a number of seconds up to 3600, such as 10.')
  }
  return seconds
}

function parseAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) {
    throw new UsageError(`--age must be a whole number of seconds, such as ${WINDOW_SECONDS + 1}.`)
  }
  const distance = Math.abs(Number(text))
  if (distance > WINDOW_SECONDS - EDGE_SECONDS && distance <= WINDOW_SECONDS) {
    throw new UsageError(
      `--age is too near to the edge of the window. Use ${WINDOW_SECONDS + 1} or more, or ${WINDOW_SECONDS - EDGE_SECONDS} or less.`,
    )
  }
  return Number(text)
}

/** Returns the Unix time in seconds of an age. Rounds up for the future, because the request takes time. */
function timestampOfAge({ clock }: Context, age: number): number {
  const now = clock.now() / 1000
  return (age < 0 ? Math.ceil(now) : Math.floor(now)) - age
}

const OWN_HEADERS = ['x-timestamp', 'x-nonce', 'x-signature', 'content-length', 'transfer-encoding']

function parseExtraHeader(line: string): HeaderLine {
  const header = parseHeaderOption(line)
  const [name, value] = header
  const own = OWN_HEADERS.find((one) => one === name.toLowerCase())
  if (own !== undefined) throw new UsageError(`--header cannot set ${own}, because send sets it.`)
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    throw new UsageError('--header has characters that HTTP forbids.')
  }
  return header
}

function headerLines(url: URL, signed: SignedHeaders, body: Uint8Array, extra: readonly HeaderLine[]): HeaderLine[] {
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
  const defaults: HeaderLine[] = [
    ['Host', url.host],
    ['User-Agent', 'inbound-webhook-auth'],
    ['Content-Type', contentTypeOf(body)],
  ]
  return [
    ...defaults.filter(([name]) => !replaced.has(name.toLowerCase())),
    ...extra,
    ...Object.entries(signed),
    ['Content-Length', String(body.length)],
  ]
}

/** A larger difference between the clocks is noted. In seconds. */
const MAX_CLOCK_DIFFERENCE = 5

function clockNotes({ headers }: EndpointResponse, now: number): string[] {
  const seconds = Math.round((Date.parse(headers.date ?? '') - now) / 1000)
  if (!(Math.abs(seconds) > MAX_CLOCK_DIFFERENCE)) return []
  const direction = seconds < 0 ? 'behind' : 'ahead of'
  return [
    `the clock of the endpoint is ${Math.abs(seconds)} s ${direction} this one, by the Date of its response. The window is ${WINDOW_SECONDS} s`,
  ]
}

const SHOWN_HEADERS = ['content-type', 'location', 'retry-after', 'www-authenticate', 'x-request-id'] as const

function statusOf({ status, statusText }: EndpointResponse): string {
  return printable(`${status} ${statusText}`).trim()
}

function responseText(response: EndpointResponse, style: Style): string {
  const label = isAccepted(response)
    ? style('green', style('bold', 'Accepted'))
    : style('red', style('bold', 'Not accepted'))
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers[name]
    return value === undefined ? [] : [style('dim', `${name}: ${printable(String(value))}`)]
  })
  const body = printable(response.body.toString('utf8'), '\n\t').trimEnd()
  const lines = [
    `${label}: ${statusOf(response)}`,
    ...headers,
    ...(body === '' ? [] : ['', body]),
    ...(response.isBodyCut ? [style('dim', `(the first ${MAX_RESPONSE_BYTES} bytes)`)] : []),
    ...hintsFor(response),
  ]
  return `${lines.join('\n')}\n`
}

function hintsFor(response: EndpointResponse): string[] {
  if (isRejected(response))
    return ["The endpoint's log has the reason. To find the cause, capture the request there and diagnose it."]
  if (response.status >= 300 && response.status <= 399) return ['Redirects are not followed. Send to the new URL.']
  if (response.status === 503) return ['The endpoint did not decide. Its nonce store may be down. Send again later.']
  return []
}

const EXPECTED = { accepted: '2xx', rejected: '401', either: '2xx or 401' } as const

function attemptsTable(attempts: readonly Attempt[], style: Style): string {
  const rows = attempts.map((attempt) => [
    attempt.sent,
    EXPECTED[attempt.expected],
    statusOf(attempt.response),
    isRight(attempt) ? style('green', 'as expected') : style('red', style('bold', faultOf(attempt))),
  ])
  const [head = '', ...lines] = alignColumns([['sent', 'expected', 'response'], ...rows])
  return [style('dim', head), ...lines, ''].join('\n')
}

function faultOf({ expected, response }: Attempt): string {
  if (expected !== 'rejected') return 'NOT ACCEPTED'
  return isAccepted(response) ? 'NOT DEFENDED' : 'NOT REJECTED AS FORGED'
}

function conclusion(attempts: readonly Attempt[], ok: boolean): string {
  if (!ok && attempts.length === 1) {
    return 'The endpoint did not accept the genuine request, so no attack was sent. Check the secret and the URL.'
  }
  if (!ok) return 'The endpoint does not respond to everything as it should.'
  // An age within the window and a nonce with a colon are no attacks.
  return attempts.some(({ expected }) => expected === 'rejected')
    ? 'The endpoint rejected every attack.'
    : 'The endpoint responds as it should. No attack was sent.'
}

function attemptDocument(attempt: Attempt): object {
  const { sent, expected, response } = attempt
  return { sent, expected, right: isRight(attempt), ...response, body: response.body.toString('utf8') }
}
