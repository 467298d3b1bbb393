import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { EndpointCaseCode } from '../../../src/testing/endpoint/rows.js'

// A receiver that keeps the specification, written without this library, and others that make one mistake each.

export interface Answered {
  status: number
  statusText?: string
  headers?: Record<string, string>
  text?: string
}

type Values = readonly [timestamp: string, nonce: string, signature: string]

/** A receiver. Each mistake replaces one of its methods. */
export class Receiver {
  readonly seen = new Set<string>()
  limit = 2 ** 20
  /** The names of the headers with the timestamp, the nonce and the signature. */
  names: readonly [string, string, string] = ['x-timestamp', 'x-nonce', 'x-signature']

  constructor(
    readonly secret: string,
    readonly status = 401,
  ) {}

  /** Runs before everything else, and may answer. */
  before(_request: IncomingMessage, _sent: Buffer): Answered | undefined {
    return undefined
  }

  /** Returns milliseconds since the Unix epoch. */
  now(): number {
    return Date.now()
  }

  header(request: IncomingMessage, name: string): string | undefined {
    const values = request.headersDistinct[name] ?? []
    return values.length === 1 ? values[0] : undefined
  }

  isTimestamp(text: string): boolean {
    return /^[0-9]+$/.test(text)
  }

  seconds(text: string): number {
    return Number(text)
  }

  /** @param age - in seconds. It is negative if the timestamp is in the future. */
  isInWindow(age: number): boolean {
    return Math.abs(age) <= 300
  }

  isNonce(nonce: string): boolean {
    return /^[!-~]{1,128}$/.test(nonce)
  }

  /** Returns the body that is verified. A string has one character per byte. */
  body(sent: Buffer, _request: IncomingMessage): Buffer | string {
    return sent
  }

  /** Returns another body that may be the signed one. */
  otherBody(_sent: Buffer): Buffer | string | undefined {
    return undefined
  }

  bodies(sent: Buffer, request: IncomingMessage): readonly Buffer[] {
    return [this.body(sent, request), this.otherBody(sent)].flatMap((body) =>
      body === undefined ? [] : [typeof body === 'string' ? Buffer.from(body, 'latin1') : body],
    )
  }

  signatureOf([timestamp, nonce]: Values, body: Buffer, secret = this.secret): string {
    return createHmac('sha256', secret).update(`${timestamp}:${nonce}:`).update(body).digest('hex')
  }

  isEqual(received: string, right: string): boolean {
    return /^[0-9a-f]{64}$/.test(received) && timingSafeEqual(Buffer.from(received), Buffer.from(right))
  }

  isSigned(values: Values, body: Buffer): boolean {
    return this.isEqual(values[2], this.signatureOf(values, body))
  }

  /** Returns what is accepted once. */
  keysOf([, nonce, signature]: Values, _body: Buffer): readonly string[] {
    return [nonce, `signature ${signature}`]
  }

  /** Reserves the keys of a request, and returns whether all of them were free. */
  reserve(values: Values, body: Buffer): boolean | Promise<boolean> {
    return this.take(...this.keysOf(values, body))
  }

  take(...keys: readonly string[]): boolean {
    if (keys.some((key) => this.seen.has(key))) return false
    for (const key of keys) this.seen.add(key)
    return true
  }

  reject(_reason: string): Answered {
    return { status: this.status }
  }

  accept(_sent: Buffer): Answered {
    return { status: 204 }
  }

  async answer(request: IncomingMessage, sent: Buffer): Promise<Answered> {
    const early = this.before(request, sent)
    if (early !== undefined) return early
    if (sent.length > this.limit) return { status: 413 }
    const [timestamp, nonce, signature] = this.names.map((name) => this.header(request, name))
    if (timestamp === undefined || nonce === undefined || signature === undefined) return this.reject('missing')
    const values = [timestamp, nonce, signature] as const
    if (!this.isTimestamp(timestamp)) return this.reject('timestamp')
    if (!this.isInWindow(this.now() / 1000 - this.seconds(timestamp))) return this.reject('window')
    if (!this.isNonce(nonce)) return this.reject('nonce')
    const body = this.bodies(sent, request).find((one) => this.isSigned(values, one))
    if (body === undefined) return this.reject('signature')
    if (!(await this.reserve(values, body))) return this.reject('replay')
    return this.accept(sent)
  }
}

/** A receiver that keeps the rules of Standard Webhooks. */
export class StandardReceiver extends Receiver {
  override names: Receiver['names'] = ['webhook-timestamp', 'webhook-id', 'webhook-signature']

  override isNonce(id: string): boolean {
    return /^[!-\-/-~]+$/.test(id)
  }

  override signatureOf([timestamp, id]: Values, body: Buffer): string {
    const key = Buffer.from(this.secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  }

  override isEqual(received: string, right: string): boolean {
    return received.split(' ').includes(right)
  }

  override keysOf([timestamp, id]: Values): readonly string[] {
    return [`${id} ${timestamp}`]
  }
}

/** A receiver with a mistake. */
export interface Mistake {
  name: string
  /** The cases that it fails. */
  fails: readonly EndpointCaseCode[]
  /** The words that the first failing case must say. */
  says: RegExp
  apply(receiver: Receiver): Parts
}

/** The methods of a receiver that a mistake replaces. */
type Parts = Partial<Receiver>
type Apply = (receiver: Receiver) => Parts
type Code = EndpointCaseCode

function mistake(name: string, fails: Code | readonly Code[], says: RegExp, parts: Parts | Apply): Mistake {
  const apply = typeof parts === 'function' ? parts : () => parts
  return { name, fails: typeof fails === 'string' ? [fails] : fails, says, apply }
}

/** Waits on the clock of the test, which may be simulated. */
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const text = (bytes: Buffer) => bytes.toString('utf8')
const isUtf8 = (bytes: Buffer) => Buffer.from(text(bytes)).equals(bytes)
const isJson = (bytes: Buffer) => {
  try {
    return JSON.parse(text(bytes)) !== undefined
  } catch {
    return false
  }
}
const latin1 = (bytes: Buffer) => bytes.toString('latin1')
const typeOf = ({ headers }: IncomingMessage) => String(headers['content-type'])
const NAMES = ['x-timestamp', 'x-nonce', 'x-signature']
const has = ({ headers }: IncomingMessage, name: string) => headers[name] !== undefined

function fail(): never {
  throw new TypeError('a header is missing')
}

const nonce = (format: RegExp): Parts => ({ isNonce: (value) => format.test(value) })
const timestamp = (format: RegExp, seconds: (value: string) => number): Parts => ({
  isTimestamp: (value) => format.test(value),
  seconds,
})
const answer = (status: number, isAnswered: (request: IncomingMessage, sent: Buffer) => boolean): Parts => ({
  before: (request, sent) => (isAnswered(request, sent) ? { status } : undefined),
})
/** Accepts what has all three headers except for these. */
const skipWithout = (...absent: readonly string[]) =>
  answer(200, (request) => NAMES.every((name) => has(request, name) !== absent.includes(name)))
const first = (wanted: string) => (receiver: Receiver) => {
  const { header } = receiver
  return {
    header: (request: IncomingMessage, name: string) =>
      name === wanted ? request.headersDistinct[name]?.[0] : header.call(receiver, request, name),
  }
}
/** Signs other parts, in this order. */
const signed =
  (partsOf: (timestamp: string, nonce: string, body: Buffer) => readonly (string | Buffer)[]): Apply =>
  ({ secret }) => ({ signatureOf: ([time, nonce], sent) => hmacOf(secret, ...partsOf(time, nonce, sent)) })
const keyed =
  (keyOf: (secret: string) => string | Buffer): Apply =>
  ({ secret }) => ({ signatureOf: ([time, nonce], sent) => hmacOf(keyOf(secret), `${time}:${nonce}:`, sent) })

function hmacOf(key: string | Buffer, ...parts: readonly (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

function parsed(sent: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text(sent))))
  } catch {
    return sent
  }
}

function inflated(sent: Buffer): Buffer {
  try {
    return gunzipSync(sent)
  } catch {
    return Buffer.from('not gzip')
  }
}

const LATIN1_NONCE = /^[!-~\x80-\xff]{1,128}$/
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

/** Mistakes that fail the given case and no other: at least one for each case. */
export const MISTAKES: readonly Mistake[] = [
  mistake(
    'another secret',
    'accepted-json',
    /request is refused.*the secret/,
    keyed(() => 'x'),
  ),
  mistake('writes 1.0 as 1', 'accepted-json-unusual', /parses the JSON/, {
    body: (sent) => latin1(sent).replace('1.0', '1'),
  }),
  mistake('takes an empty body for a missing one', 'accepted-empty', /empty body/, {
    before: (_, sent) => (sent.length === 0 ? { status: 401 } : undefined),
  }),
  mistake('answers 415 to bytes', 'accepted-bytes', /415/, {
    before: (request, sent) => (/octet/.test(typeOf(request)) && !isUtf8(sent) ? { status: 415 } : undefined),
  }),
  mistake('removes a byte order mark', 'accepted-text', /byte order mark/, {
    body: (sent) => (sent[0] === 0xef ? sent.subarray(3) : sent),
  }),
  mistake('replaces CRLF by LF', 'accepted-line-ends', /CRLF/, {
    body: (sent) => latin1(sent).replaceAll('\r\n', '\n'),
  }),
  mistake('writes a form again', 'accepted-form', /form/i, {
    body: (sent, request) => (/urlencoded/.test(typeOf(request)) ? new URLSearchParams(text(sent)).toString() : sent),
  }),
  mistake('has no body for plain text', 'accepted-plain-text', /Plain text.*only if the Content-Type is JSON/, {
    body: (sent, request) => (/plain/.test(typeOf(request)) ? '' : sent),
  }),
  mistake('has no body without a content type', 'accepted-no-type', /without Content-Type/, {
    body: (sent, request) => (has(request, 'content-type') ? sent : ''),
  }),
  mistake('inflates a compressed body', 'accepted-compressed', /decompresses/, {
    body: (sent, request) => (has(request, 'content-encoding') ? inflated(sent) : sent),
  }),
  mistake('has a limit of 100 KB', 'accepted-100-kb', /413/, { limit: 100 * 1024 }),
  mistake('looks for the names as they are usually written', 'accepted-names', /case-insensitive/, {
    header: (request, name) => {
      const usual = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
      const values = request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1] === usual)
      return values.length === 1 ? values[0] : undefined
    },
  }),
  mistake('wants 8 characters', 'accepted-nonce-short', /minimum length/, nonce(/^[!-~]{8,128}$/)),
  mistake('allows 64 characters', 'accepted-nonce-long', /too short/, nonce(/^[!-~]{1,64}$/)),
  mistake('refuses an asterisk', 'accepted-nonce-visible', /punctuation/, nonce(/^[!-)+-~]{1,128}$/)),
  mistake('stores the nonce in lowercase', 'accepted-nonce-case', /case/, {
    keysOf: ([, nonce, signature]) => [nonce.toLowerCase(), `signature ${signature}`],
  }),
  mistake('remembers bodies', 'accepted-same-body', /remembers the body/, {
    keysOf: ([, nonce, signature], sent) => [nonce, `signature ${signature}`, latin1(sent)],
  }),
  mistake('has a window of 200 s', 'accepted-old', /less than 300 s/, {
    isInWindow: (age) => age <= 200 && age >= -300,
  }),
  mistake('allows 30 s ahead', 'accepted-ahead', /future/, { isInWindow: (age) => age <= 300 && age >= -30 }),
  mistake('skips the check without a timestamp', 'headers-no-timestamp', /skips a check/, skipWithout('x-timestamp')),
  mistake('skips the check without a nonce', 'headers-no-nonce', /skips a check/, skipWithout('x-nonce')),
  mistake('skips the check without a signature', 'headers-no-signature', /skips a check/, skipWithout('x-signature')),
  mistake('skips the check without headers', 'headers-none', /without the three headers/, skipWithout(...NAMES)),
  mistake('takes the first timestamp', 'headers-twice', /X-Timestamp twice.*only the first/, first('x-timestamp')),
  mistake('takes the first nonce', 'headers-twice', /X-Nonce twice.*only the first/, first('x-nonce')),
  mistake('takes the first signature', 'headers-twice', /X-Signature twice.*only the first/, first('x-signature')),
  mistake('has a window of 600 s for old requests', 'timestamp-old', /310 s old is accepted.*too wide/, {
    isInWindow: (age) => age <= 600 && age >= -300,
  }),
  mistake('has a window of a day for the future', 'timestamp-ahead', /without abs/, {
    isInWindow: (age) => age <= 300 && age >= -86_400,
  }),
  mistake(
    'guesses milliseconds',
    'timestamp-milliseconds',
    /milliseconds/,
    timestamp(/^[0-9]+$/, (value) => (value.length === 13 ? Number(value) / 1000 : Number(value))),
  ),
  mistake('allows an exponent', 'timestamp-form', /\de0\./, timestamp(/^[0-9]+(e[0-9]+)?$/, Number)),
  mistake('allows a sign', 'timestamp-form', / \+\d/, timestamp(/^\+?[0-9]+$/, Number)),
  mistake('ignores what is after a space', 'timestamp-form', /\d 0\./, timestamp(/^[0-9]+( .*)?$/, Number.parseInt)),
  mistake('allows a fraction', 'timestamp-form', /\d\.5\./, timestamp(/^[0-9]+(\.[0-9]+)?$/, Number)),
  mistake('ignores letters', 'timestamp-form', /\dabc\./, timestamp(/^[0-9]+([abc]+)?$/, Number.parseInt)),
  mistake('allows an empty nonce', 'nonce-empty', /empty nonce/, nonce(/^[!-~]{0,128}$/)),
  mistake('allows 200 characters', 'nonce-form', /129 characters/, nonce(/^[!-~]{1,200}$/)),
  mistake('allows a space', 'nonce-form', /a space/, nonce(/^[ -~]{1,128}$/)),
  mistake('allows Latin-1, as text', 'nonce-form', /signed as UTF-8/, nonce(LATIN1_NONCE)),
  mistake('accepts the empty secret too', 'signature-other-secret', /empty secret.*is accepted/, (receiver) => ({
    isSigned: (values, sent) =>
      [receiver.secret, ''].some((secret) => receiver.isEqual(values[2], receiver.signatureOf(values, sent, secret))),
  })),
  mistake('compares without regard to case', 'signature-form', /uppercase/, {
    isEqual: (received, right) => received.toLowerCase() === right,
  }),
  mistake('removes sha256=', 'signature-form', /sha256=/, {
    isEqual: (received, right) => received.replace(/^sha256=/, '') === right,
  }),
  mistake('accepts base64', 'signature-form', /base64/, {
    isEqual: (received, right) => received === right || received === base64(right),
  }),
  mistake('compares as many digits as arrived', 'signature-half', /as many digits as arrived/, {
    isEqual: (received, right) => received !== '' && right.startsWith(received),
  }),
  mistake('compares 63 digits', 'signature-digit', /only a part/, {
    isEqual: (received, right) => received.length === 64 && received.slice(0, 63) === right.slice(0, 63),
  }),
  mistake('compares the first 64 digits', 'signature-longer', /first 64 digits/, {
    isEqual: (received, right) => /^[0-9a-f]+$/.test(received) && received.slice(0, 64) === right,
  }),
  mistake('skips the check if the signature is empty', 'signature-empty', /empty/, {
    isEqual: (received, right) => received === '' || received === right,
  }),
  mistake('splits at a comma', 'signature-form', /comma/, {
    isEqual: (received, right) => received.split(/, ?/).includes(right),
  }),
  mistake('repairs the last digit', 'body-changed', /changed body/, {
    otherBody: (sent) => {
      const digit = sent.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39)
      return digit === -1 ? undefined : (sent.with(digit, sent.readUInt8(digit) ^ 1) as Buffer)
    },
  }),
  mistake('also verifies the trimmed body', 'body-line-end', /trims/, { otherBody: (sent) => latin1(sent).trimEnd() }),
  mistake('also verifies the JSON serialized again', 'body-spacing', /parses the JSON/, {
    otherBody: (sent) => (sent[0] === 0x20 ? parsed(sent) : undefined),
  }),
  mistake('also verifies the body as text', 'body-replacement', /decodes/, {
    otherBody: (sent) => Buffer.from(text(sent)),
  }),
  mistake('takes an identical request for a retry', 'replay-again', /A replay is accepted/, (receiver) => {
    const running = new Set<string>()
    const last: string[] = []
    return {
      reserve: async ([, nonce, signature]) => {
        if (running.has(signature)) return false
        if (last.includes(`${nonce} ${signature}`)) return true
        running.add(signature)
        await sleep(500)
        running.delete(signature)
        last.push(`${nonce} ${signature}`)
        if (last.length > 3) last.shift()
        return receiver.take(nonce, `signature ${signature}`)
      },
    }
  }),
  mistake('remembers the timestamp with the nonce', 'replay-other-body', /not the nonce alone/, {
    keysOf: ([time, nonce, signature]) => [`${time} ${nonce}`, `signature ${signature}`],
  }),
  mistake('looks up, and stores afterwards', 'replay-copies', /\d+ of 20 were accepted.*two steps/, ({ seen }) => ({
    reserve: async ([, nonce, signature]) => {
      if (seen.has(nonce) || seen.has(signature)) return false
      await sleep(5)
      seen.add(nonce).add(signature)
      return true
    },
  })),
  mistake('remembers the nonce alone', 'replay-split', /longer nonce.*another colon/, {
    keysOf: ([, nonce]) => [nonce],
  }),
  mistake('reserves the nonce first', 'replay-forged', /before it checks the signature/, (receiver) => ({
    isNonce: (nonce) => Receiver.prototype.isNonce(nonce) && receiver.take(nonce),
    reserve: ([, , signature]) => receiver.take(`signature ${signature}`),
  })),
  mistake('remembers a nonce for 2 s', 'replay-late', /forgets nonces too early/, (receiver) => ({
    reserve: ([, nonce, signature]) => {
      const isFree = receiver.take(nonce, `signature ${signature}`)
      const forget = () => {
        if (isFree) for (const key of [nonce, `signature ${signature}`]) receiver.seen.delete(key)
      }
      setTimeout(forget, 2000)
      return isFree
    },
  })),
  mistake('throws for a large timestamp', 'answers-hostile', /a timestamp of 20 digits.*500 or above/, {
    isInWindow: (age) => new Date(age * 1000).toISOString() !== '' && Math.abs(age) <= 300,
  }),
  mistake('locks everybody out after a strange signature', 'answers-alive', /refuses a valid request/, () => {
    let isLocked = false
    return answer(401, ({ headers }) => {
      isLocked ||= /[^ -~]/.test(String(headers['x-signature']))
      return isLocked
    })
  }),
]

/** Receivers that refuse every valid request, because they expect another signature. A few have a secret of their own. */
export const SIGNED_OTHERWISE: readonly [name: string, says: RegExp, parts: Parts | Apply, secret?: string][] = [
  ['milliseconds', /as milliseconds/, { seconds: (value) => Number(value) / 1000 }],
  [
    'JSON with spaces',
    /only JSON with spaces/,
    { body: (sent) => latin1(sent).replace(/":"/g, '": "').replace(/","/g, '", "') },
  ],
  ['a prefix', /"sha256=" before/, { isEqual: (received, right) => received === `sha256=${right}` }],
  ['base64', /in base64/, { isEqual: (received, right) => received === base64(right) }],
  ['the body alone', /body alone/, signed((_, __, sent) => [sent])],
  ['dots', /with dots/, signed((time, nonce, sent) => [`${time}.${nonce}.`, sent])],
  ['the nonce first', /nonce before the timestamp/, signed((time, nonce, sent) => [`${nonce}:${time}:`, sent])],
  ['a newline after the body', /adds a newline/, { body: (sent) => Buffer.concat([sent, Buffer.from('\n')]) }],
  ['the secret with a newline', /secret of the endpoint ends with a newline/, keyed((secret) => `${secret}\n`)],
  ['the secret as base64', /as base64/, keyed((secret) => Buffer.from(secret, 'base64'))],
  ['the secret without white space', /trims the secret/, keyed((secret) => secret.trim()), ' a secret '],
]

/** Joins the values of a header, as most servers do. */
const JOINED: Parts = { header: ({ headersDistinct }, name) => headersDistinct[name]?.join(', ') }

/** Mistakes that fail several cases, of which `fails` has one. The only cause of `check` must say the words. */
export const COMMON_MISTAKES: readonly Mistake[] = [
  mistake('ignores the result', 'headers-none', /accepts every request/, { before: () => ({ status: 200 }) }),
  mistake('does not compare the signature', 'signature-other-secret', /does not check the signature/, {
    isSigned: () => true,
  }),
  mistake('parses the JSON and writes it again', 'accepted-json-unusual', /parses the JSON/, { body: parsed }),
  mistake('decodes the body', 'accepted-bytes', /decodes the body to a string/, {
    body: (sent) => Buffer.from(text(sent)),
  }),
  mistake(
    'answers 400 to what is not JSON, after the check',
    'accepted-bytes',
    /A request with an invalid signature gets another status/,
    { accept: (sent) => ({ status: /^[ \ufeff]*\{/.test(text(sent)) ? 204 : 400 }) },
  ),
  mistake('fails for what is not JSON, after the check', 'accepted-bytes', /Your code fails for/, {
    accept: (sent) => ({ status: isJson(sent) ? 204 : 500 }),
  }),
  mistake('reads the raw body of JSON alone', 'accepted-form', /keeps the raw body only if the Content-Type is JSON/, {
    body: (sent, request) => (/json/.test(typeOf(request)) ? sent : ''),
  }),
  // Python's raw.decode() and JavaScript's TextDecoder with fatal throw for bytes that are not UTF-8.
  ...[500, 401, 400].map((status) =>
    mistake(
      `decodes the body strictly, and answers ${status}`,
      'accepted-bytes',
      /body that is not text is refused.*decodes the body to a string/,
      { before: (_, sent) => (isUtf8(sent) ? undefined : { status }) },
    ),
  ),
  ...[500, 401, 400].map((status) =>
    mistake(
      `parses the JSON, writes it again, and answers ${status} to other bodies`,
      'accepted-json-unusual',
      /parses the JSON and verifies what it serializes again/,
      { body: parsed, before: (_, sent) => (isJson(sent) ? undefined : { status }) },
    ),
  ),
  mistake('trims the body', 'accepted-line-ends', /trims the body/, { body: (sent) => latin1(sent).trim() }),
  mistake('remembers nothing', 'replay-again', /The endpoint stores no nonces/, { reserve: () => true }),
  mistake(
    'skips the check if a header is missing',
    'headers-no-timestamp',
    /probably skips a check if a header is missing/,
    { before: (request) => (NAMES.every((name) => has(request, name)) ? undefined : { status: 200 }) },
  ),
  mistake('decodes the signature from hex', 'headers-twice', /decodes the signature/, {
    ...JOINED,
    isEqual: (received, right) => Buffer.from(received, 'hex').equals(Buffer.from(right, 'hex')),
  }),
  mistake('splits joined signatures', 'headers-twice', /splits the header at a comma/, {
    ...JOINED,
    isEqual: (received, right) => received.split(/, ?/).includes(right),
  }),
  mistake('has a clock 20 s ahead', 'accepted-old', /clock is ahead/, {
    isInWindow: (age) => Math.abs(age + 20) <= 300,
  }),
  mistake('redirects what it rejects', 'headers-none', /redirect/, { reject: () => ({ status: 302 }) }),
  mistake(
    'compares without a check of the length',
    'signature-form',
    /comparison throws for a signature of another length/,
    { isEqual: (received, right) => timingSafeEqual(Buffer.from(received), Buffer.from(right)) },
  ),
  mistake(
    'throws for a missing header',
    'headers-no-timestamp',
    /uses a header before it checks that the header is there/,
    { header: ({ headersDistinct }, name) => headersDistinct[name]?.join(',') ?? fail() },
  ),
]

const standardKey = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
/** Signs other parts, in this order, and with another key. */
const signedStandard =
  (
    partsOf: (timestamp: string, id: string, body: Buffer) => readonly (string | Buffer)[],
    keyOf: (secret: string) => string | Buffer = standardKey,
  ): Apply =>
  ({ secret }) => ({
    signatureOf: ([time, id], sent) =>
      `v1,${Buffer.from(hmacOf(keyOf(secret), ...partsOf(time, id, sent)), 'hex').toString('base64')}`,
  })
const standardParts = (time: string, id: string, sent: Buffer) => [`${id}.${time}.`, sent]

/** Mistakes in the rules that only Standard Webhooks has. */
export const STANDARD_MISTAKES: readonly Mistake[] = [
  mistake('remembers the ID alone', 'accepted-retry', /A retry is refused/, { keysOf: ([, id]) => [id] }),
  mistake('compares the whole header', 'accepted-signatures', /list of signatures is refused/, {
    isEqual: (received, right) => received === right,
  }),
  mistake('takes each version', 'signature-version', /another version/, {
    isEqual: (received, right) => received.split(' ').some((one) => one.replace(/^\w+,/, '') === right.slice(3)),
  }),
  mistake('takes hex too', 'signature-form', /hex\. A signature in another form/, {
    isEqual: (received, right) => {
      const hex = Buffer.from(right.slice(3), 'base64').toString('hex')
      return received.split(' ').some((one) => one === right || one === `v1,${hex}`)
    },
  }),
  mistake('decodes the signature', 'signature-longer', /decodes the signature before it compares/, {
    isEqual: (received, right) =>
      received
        .split(' ')
        .some(
          (one) => one.startsWith('v1,') && Buffer.from(one.slice(3), 'base64').toString('base64') === right.slice(3),
        ),
  }),
  mistake('takes an ID with full stops', 'replay-split', /split at another full stop/, {
    isNonce: (id) => /^[!-~]+$/.test(id),
  }),
  mistake('takes an empty ID', 'nonce-empty', /empty ID/, { isNonce: (id) => /^[!-\-/-~]*$/.test(id) }),
]

/** Receivers of Standard Webhooks that refuse every valid request, because they expect another signature. */
export const STANDARD_SIGNED_OTHERWISE: readonly [name: string, says: RegExp, parts: Parts | Apply][] = [
  ['names of svix', /svix-id, svix-timestamp/, { names: ['svix-timestamp', 'svix-id', 'svix-signature'] }],
  ['no version', /without its version/, { isEqual: (received, right) => received === right.slice(3) }],
  [
    'hex',
    /signature in hex/,
    { isEqual: (received, right) => received === `v1,${Buffer.from(right.slice(3), 'base64').toString('hex')}` },
  ],
  ['the body alone', /body alone/, signedStandard((_, __, sent) => [sent])],
  ['the timestamp first', /timestamp before the ID/, signedStandard((time, id, sent) => [`${time}.${id}.`, sent])],
  ['colons', /colons instead of full stops/, signedStandard((time, id, sent) => [`${id}:${time}:`, sent])],
  ['the text of the secret', /text of the secret as the key/, signedStandard(standardParts, (secret) => secret)],
  ['the text after whsec_', /text after it as the key/, signedStandard(standardParts, (secret) => secret.slice(6))],
  [
    'the secret with whsec_ as base64',
    /without removing whsec_ first/,
    signedStandard(standardParts, (secret) => Buffer.from(secret, 'base64')),
  ],
]
