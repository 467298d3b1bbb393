import { validateHeaderValue } from 'node:http'
import { WINDOW_SECONDS } from '../../rules/timestamp.js'
import { type SignedHeaders, sign } from '../../sign.js'
import { command, type Surroundings } from '../command.js'
import { COMMON, type Options } from '../input/arguments.js'
import { parseHeaderLine } from '../input/captured-request.js'
import { readInput } from '../input/read-input.js'
import { oddities, readSecret, SECRET_OPTIONS } from '../input/secret-source.js'
import { parseUrl } from '../input/url.js'
import type { Colours } from '../output/colours.js'
import { inColumns } from '../output/columns.js'
import { contentTypeOf } from '../output/content-type.js'
import type { HeaderLine } from '../output/http-text.js'
import { printable } from '../output/printable.js'
import { UsageError } from '../usage-error.js'
import { type Attempt, attemptsOf, type Endpoint, isAccepted, isRejected, isRight } from './attempts.js'
import { type Answer, exchange, MOST_ANSWER_BYTES, NoAnswer } from './exchange.js'

/** How near to the edge of the window an age may not come, in seconds: the way to the endpoint takes time. */
const EDGE_SECONDS = 10

const OPTIONS = {
  ...SECRET_OPTIONS,
  header: { type: 'string', multiple: true, value: "'Name: value'", help: 'another header to send; it is not signed' },
  timeout: { type: 'string', value: 'SECONDS', help: 'how long to wait for each answer; 10 by default' },
  replay: { type: 'boolean', help: 'try: the same request again' },
  tamper: { type: 'boolean', help: 'try: a byte of the body changed after it was signed' },
  age: {
    type: 'string',
    value: 'SECONDS',
    help: `try: a timestamp that old. --age ${WINDOW_SECONDS + 1} is outside of the window, to be\nrejected; --age=-${WINDOW_SECONDS + 1} is as much ahead; up to ${WINDOW_SECONDS - EDGE_SECONDS} is to be accepted`,
  },
  recut: { type: 'boolean', help: 'try: the same signed message, cut another way into nonce and body' },
  ...COMMON,
} as const satisfies Options

export const send = command({
  name: 'send',
  summary: 'Signs a body, sends it by POST and prints the answer; tries what an attacker would.',
  operands: 'URL [file|-]',
  mostOperands: 2,
  options: OPTIONS,
  notes: [
    '--replay, --tamper, --age and --recut may be given together. A genuine request goes first: what is rejected by an endpoint that rejects everything proves nothing. Try only endpoints of your own.',
    'No redirect is followed. Content-Type, which is not signed, is application/json if the body is JSON; --header changes it.',
    'Exit code: 0 if the answer is 2xx and what was tried was rejected with 401 or 403; 1 if not, or if no answer came; 2 for a mistake in the call.',
  ],

  async act(parsed, surroundings, colours) {
    const { values, operands } = parsed
    const [target, path] = operands
    if (target === undefined) throw new UsageError('where to? Pass the URL: inbound-webhook-auth send URL [file|-]')
    const url = parseUrl(target)
    const timeoutSeconds = timeoutOf(values.timeout)
    const age = ageOf(values.age)
    const extra = (values.header ?? []).map(extraHeader)
    const body = await readInput(path, 'the body', surroundings)
    const named = await readSecret(parsed, surroundings, [path ?? '-'])
    const notes = [...oddities(named), ...(body.length === 0 ? ['the body is empty'] : [])]

    const endpoint: Endpoint = {
      post: (headers, sent) => exchange(url, headerLines(url, headers, sent, extra), sent, timeoutSeconds),
      sign: (message, secondsAgo) =>
        sign(message.body, named.secret, { nonce: message.nonce, timestamp: secondsBefore(surroundings, secondsAgo) }),
    }
    const attempts: Attempt[] = []
    let failure: string | undefined
    try {
      for await (const attempt of attemptsOf(endpoint, body, { ...values, age })) attempts.push(attempt)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      failure = error.message
    }
    const [first] = attempts
    if (first !== undefined) notes.push(...clockNotes(first.answer, surroundings.clock.now()))

    const isAttack = values.replay || values.tamper || values.recut || age !== undefined
    const ok = failure === undefined && attempts.every(isRight)
    const answered = isAttack
      ? tableOf(attempts, colours)
      : attempts.map(({ answer }) => answerText(answer, colours)).join('')
    const failed = failure === undefined ? '' : `${colours.red(colours.bold('No answer'))}: ${failure}\n`
    return {
      exitCode: ok ? 0 : 1,
      text: `${answered}${failed}${isAttack && failure === undefined ? conclusion(attempts, ok) : ''}`,
      document: { ok, attempts: attempts.map(attemptDocument), ...(failure === undefined ? {} : { failure }), notes },
      notes,
    }
  },
})

function timeoutOf(text = '10'): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds === 0 || seconds > 3600) {
    throw new UsageError('--timeout is no number of seconds up to 3600: pass one, such as 10')
  }
  return seconds
}

function ageOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) {
    throw new UsageError(`--age is no whole number of seconds: pass one, such as ${WINDOW_SECONDS + 1}`)
  }
  const distance = Math.abs(Number(text))
  if (distance > WINDOW_SECONDS - EDGE_SECONDS && distance <= WINDOW_SECONDS) {
    throw new UsageError(
      `--age is so near to the edge of the window, ${WINDOW_SECONDS} s, that the way there decides: pass ${WINDOW_SECONDS + 1} or more, or ${WINDOW_SECONDS - EDGE_SECONDS} or less`,
    )
  }
  return Number(text)
}

/** Unix time in seconds, so many before now; what is to be ahead is rounded up, for the way there takes some of it. */
function secondsBefore({ clock }: Surroundings, age: number): number {
  const now = clock.now() / 1000
  return (age < 0 ? Math.ceil(now) : Math.floor(now)) - age
}

const OWN_HEADERS = ['x-timestamp', 'x-nonce', 'x-signature', 'content-length', 'transfer-encoding']

function extraHeader(line: string): HeaderLine {
  const fault = () => new UsageError("--header takes 'Name: value', with a colon between name and value")
  const [name, value] = parseHeaderLine(line, fault)
  if (name.startsWith(':')) throw fault()
  if (OWN_HEADERS.includes(name.toLowerCase()))
    throw new UsageError(`--header cannot set ${name}: send makes it itself`)
  try {
    validateHeaderValue(name, value)
  } catch {
    throw new UsageError(`the value of --header ${name} has characters that no header may have`)
  }
  return [name, value]
}

function headerLines(url: URL, signed: SignedHeaders, body: Uint8Array, extra: readonly HeaderLine[]): HeaderLine[] {
  const replaced = new Set(extra.map(([name]) => name.toLowerCase()))
  const usual: HeaderLine[] = [
    ['Host', url.host],
    ['User-Agent', 'inbound-webhook-auth'],
    ['Content-Type', contentTypeOf(body)],
  ]
  return [
    ...usual.filter(([name]) => !replaced.has(name.toLowerCase())),
    ...extra,
    ...Object.entries(signed),
    ['Content-Length', String(body.length)],
  ]
}

/** How far the clocks of two machines may be apart, in seconds, before it is worth a word. */
const MOST_SECONDS_APART = 5

function clockNotes({ headers }: Answer, now: number): string[] {
  const seconds = Math.round((Date.parse(headers.date ?? '') - now) / 1000)
  if (!(Math.abs(seconds) > MOST_SECONDS_APART)) return []
  return [
    `by the Date of its answer, the clock of the endpoint is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this one; the window is ${WINDOW_SECONDS} s`,
  ]
}

const HEADERS_OF_INTEREST = ['content-type', 'location', 'retry-after', 'www-authenticate', 'x-request-id'] as const

function statusOf({ status, statusText }: Answer): string {
  return printable(`${status} ${statusText}`).trim()
}

function answerText(answer: Answer, { green, red, bold, dim }: Colours): string {
  const verdict = isAccepted(answer) ? green(bold('Accepted')) : red(bold('Not accepted'))
  const shown = HEADERS_OF_INTEREST.flatMap((name) => {
    const value = answer.headers[name]
    return value === undefined ? [] : [dim(`${name}: ${printable(String(value))}`)]
  })
  const body = printable(answer.body.toString('utf8'), '\n\t').trimEnd()
  const cut = answer.isBodyCut ? [dim(`(the first ${MOST_ANSWER_BYTES} bytes)`)] : []
  const lines = [
    `${verdict}: ${statusOf(answer)}`,
    ...shown,
    ...(body === '' ? [] : ['', body]),
    ...cut,
    ...hintFor(answer),
  ]
  return `${lines.join('\n')}\n`
}

function hintFor(answer: Answer): string[] {
  if (isRejected(answer)) {
    return ["The endpoint's log has the reason. To find the cause, capture the request there, and diagnose it."]
  }
  if (answer.status >= 300 && answer.status <= 399) return ['No redirect is followed: send to the URL it points to.']
  if (answer.status === 503) return ['There is no verdict, as when the nonce store is down: send it again later.']
  return []
}

const EXPECTED = { accepted: '2xx', rejected: '401', either: '2xx or 401' } as const

function tableOf(attempts: readonly Attempt[], { green, red, bold, dim }: Colours): string {
  const rows = attempts.map((attempt) => [attempt.sent, EXPECTED[attempt.expected], statusOf(attempt.answer)])
  const [head, ...lines] = inColumns([['sent', 'expected', 'came back'], ...rows])
  const judged = attempts.map((attempt, index) => {
    const verdict = isRight(attempt) ? green('as expected') : red(bold(faultOf(attempt)))
    return `${lines[index]}   ${verdict}`
  })
  return [dim(String(head).trimEnd()), ...judged, ''].join('\n')
}

function faultOf({ expected, answer }: Attempt): string {
  if (expected === 'rejected' && isAccepted(answer)) return 'NOT DEFENDED'
  return expected === 'rejected' ? 'NOT REJECTED AS FORGED' : 'NOT ACCEPTED'
}

function conclusion(attempts: readonly Attempt[], ok: boolean): string {
  const isTried = attempts.some(({ expected }) => expected === 'rejected')
  // A timestamp within the window, or a nonce with a colon, is nothing to defend against.
  if (ok && !isTried) return '\nThe endpoint answers as it should. Nothing that was sent is to be rejected.\n'
  if (ok) return '\nThe endpoint defends itself against what was tried.\n'
  if (attempts.length === 1) {
    return '\nThe genuine request was not accepted, so nothing else was tried: is this the secret, and the URL?\n'
  }
  return '\nThe endpoint does not answer everything as it should.\n'
}

function attemptDocument(attempt: Attempt): object {
  const { sent, expected, answer } = attempt
  const { status, statusText, headers, body, isBodyCut } = answer
  return {
    sent,
    expected,
    right: isRight(attempt),
    status,
    statusText,
    headers,
    body: body.toString('utf8'),
    isBodyCut,
  }
}
