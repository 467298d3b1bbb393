import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { EndpointFault } from '../../../src/testing/endpoint/faults.js'
import type { EndpointCaseCode } from '../../../src/testing/endpoint/rows.js'

// A receiver that keeps the specification, written without this library, and others that make one mistake each.

export interface Answered {
  status: number
  text?: string
}

type Values = readonly [timestamp: string, nonce: string, signature: string]

/** A receiver. Each mistake replaces one of its methods. */
export class Receiver {
  readonly seen = new Set<string>()
  limit = 2 ** 20

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

  /** Returns the bodies that may be the signed one. */
  bodies(sent: Buffer, _request: IncomingMessage): readonly Buffer[] {
    return [sent]
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

  /** Reserves the nonce and the signature, and returns whether both were free. */
  reserve([, nonce, signature]: Values, _body: Buffer): boolean | Promise<boolean> {
    return this.take(nonce, `signature ${signature}`)
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
    const [timestamp, nonce, signature] = ['x-timestamp', 'x-nonce', 'x-signature'].map((name) =>
      this.header(request, name),
    )
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

/** A receiver with one mistake. */
export interface Mistake {
  name: string
  /** The cases that it fails, and no others. */
  fails: readonly EndpointCaseCode[]
  fault?: EndpointFault
  /** The words that the first failing case must say. */
  says: RegExp
  apply(receiver: Receiver): Partial<Receiver>
}

/** Waits on the clock of the test, which may be simulated. */
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const text = (bytes: Buffer) => bytes.toString('utf8')
const typeOf = ({ headers }: IncomingMessage) => headers['content-type']
const has = ({ headers }: IncomingMessage, name: string) => headers[name] !== undefined

function firstOf(wanted: string) {
  return (receiver: Receiver): Partial<Receiver> => {
    const { header } = receiver
    return {
      header: (request, name) =>
        name === wanted ? request.headersDistinct[name]?.[0] : header.call(receiver, request, name),
    }
  }
}

function skippedWithout(...absent: readonly string[]) {
  const names = ['x-timestamp', 'x-nonce', 'x-signature']
  return (): Partial<Receiver> => ({
    before: (request) =>
      names.every((name) => has(request, name) !== absent.includes(name)) ? { status: 200 } : undefined,
  })
}

function lenient(pattern: RegExp, seconds: (text: string) => number) {
  return (): Partial<Receiver> => ({ isTimestamp: (value) => pattern.test(value), seconds })
}

function orBody(other: (sent: Buffer) => Buffer | undefined) {
  return (): Partial<Receiver> => ({
    bodies: (sent) => [sent, ...[other(sent)].filter((body) => body !== undefined)],
  })
}

function parsed(sent: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text(sent))))
  } catch {
    return sent
  }
}

export const MISTAKES: readonly Mistake[] = [
  // One mistake for each case.
  {
    name: 'another secret',
    fails: ['accepted-json'],
    says: /valid request is refused.*Compare the secret/,
    apply: (receiver) => ({
      signatureOf: (values, body) => Receiver.prototype.signatureOf.call(receiver, values, body, 'x'),
    }),
  },
  {
    name: 'writes 1.0 as 1',
    fails: ['accepted-json-unusual'],
    says: /parses the JSON/,
    apply: () => ({ bodies: (sent) => [Buffer.from(sent.toString('latin1').replace('1.0', '1'), 'latin1')] }),
  },
  {
    name: 'takes an empty body for a missing one',
    fails: ['accepted-empty'],
    says: /empty body/,
    apply: (receiver) => ({ before: (_, sent) => (sent.length === 0 ? receiver.reject('no body') : undefined) }),
  },
  {
    name: 'answers 415 to bytes',
    fails: ['accepted-bytes'],
    fault: 'content-type',
    says: /415/,
    apply: () => ({ before: (request) => (/octet/.test(String(typeOf(request))) ? { status: 415 } : undefined) }),
  },
  {
    name: 'removes a byte order mark',
    fails: ['accepted-text'],
    says: /byte order mark/,
    apply: () => ({ bodies: (sent) => [sent[0] === 0xef ? sent.subarray(3) : sent] }),
  },
  {
    name: 'replaces CRLF by LF',
    fails: ['accepted-line-ends'],
    says: /CRLF/,
    apply: () => ({ bodies: (sent) => [Buffer.from(sent.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')] }),
  },
  {
    name: 'writes a form again',
    fails: ['accepted-form'],
    says: /form/i,
    apply: () => ({
      bodies: (sent, request) => [
        /urlencoded/.test(String(typeOf(request))) ? Buffer.from(new URLSearchParams(text(sent)).toString()) : sent,
      ],
    }),
  },
  {
    name: 'has no body for plain text',
    fails: ['accepted-plain-text'],
    says: /Plain text.*only if the Content-Type is JSON/,
    apply: () => ({ bodies: (sent, request) => [/plain/.test(String(typeOf(request))) ? Buffer.alloc(0) : sent] }),
  },
  {
    name: 'has no body without a content type',
    fails: ['accepted-no-type'],
    says: /without Content-Type/,
    apply: () => ({ bodies: (sent, request) => [typeOf(request) === undefined ? Buffer.alloc(0) : sent] }),
  },
  {
    name: 'inflates a compressed body',
    fails: ['accepted-compressed'],
    says: /inflates/,
    apply: () => ({
      bodies: (sent, request) => {
        try {
          return [has(request, 'content-encoding') ? gunzipSync(sent) : sent]
        } catch {
          return []
        }
      },
    }),
  },
  {
    name: 'has a limit of 100 KB',
    fails: ['accepted-100-kb'],
    fault: 'too-large',
    says: /413/,
    apply: () => ({ limit: 100 * 1024 }),
  },
  {
    name: 'looks for the names as they are usually written',
    fails: ['accepted-names'],
    says: /case-insensitive/,
    apply: () => ({
      header: (request, name) => {
        const usual = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
        const values = request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1] === usual)
        return values.length === 1 ? values[0] : undefined
      },
    }),
  },
  {
    name: 'wants 8 characters',
    fails: ['accepted-nonce-short'],
    says: /minimum length/,
    apply: () => ({ isNonce: (nonce) => /^[!-~]{8,128}$/.test(nonce) }),
  },
  {
    name: 'allows 64 characters',
    fails: ['accepted-nonce-long'],
    says: /too short/,
    apply: () => ({ isNonce: (nonce) => /^[!-~]{1,64}$/.test(nonce) }),
  },
  {
    name: 'refuses an asterisk',
    fails: ['accepted-nonce-visible'],
    says: /punctuation/,
    apply: () => ({ isNonce: (nonce) => /^[!-)+-~]{1,128}$/.test(nonce) }),
  },
  {
    name: 'uses the nonce as a file name',
    fails: ['accepted-nonce-visible'],
    fault: 'server-error',
    says: /as a file name.*use the hash of the nonce/,
    apply: (receiver) => ({
      reserve: ([, nonce, signature]) =>
        nonce.includes('/') ? fail() : receiver.take(nonce, `signature ${signature}`),
    }),
  },
  {
    name: 'stores the nonce in lowercase',
    fails: ['accepted-nonce-case'],
    says: /case/,
    apply: (receiver) => ({
      reserve: ([, nonce, signature]) => receiver.take(nonce.toLowerCase(), `signature ${signature}`),
    }),
  },
  {
    name: 'remembers bodies',
    fails: ['accepted-same-body'],
    says: /remembers the body/,
    apply: (receiver) => ({
      reserve: ([, nonce, signature], body) =>
        receiver.take(nonce, `signature ${signature}`, createHash('sha256').update(body).digest('hex')),
    }),
  },
  {
    name: 'has a window of 200 s',
    fails: ['accepted-old'],
    says: /less than 300 s/,
    apply: () => ({ isInWindow: (age) => age <= 200 && age >= -300 }),
  },
  {
    name: 'allows 30 s ahead',
    fails: ['accepted-ahead'],
    says: /future/,
    apply: () => ({ isInWindow: (age) => age <= 300 && age >= -30 }),
  },
  {
    name: 'skips the check without a timestamp',
    fails: ['headers-no-timestamp'],
    says: /X-Timestamp.*skips a check/,
    apply: skippedWithout('x-timestamp'),
  },
  {
    name: 'skips the check without a nonce',
    fails: ['headers-no-nonce'],
    says: /X-Nonce.*skips a check/,
    apply: skippedWithout('x-nonce'),
  },
  {
    name: 'skips the check without a signature',
    fails: ['headers-no-signature'],
    says: /X-Signature.*skips a check/,
    apply: skippedWithout('x-signature'),
  },
  {
    name: 'skips the check without headers',
    fails: ['headers-none'],
    says: /unsigned/,
    apply: skippedWithout('x-timestamp', 'x-nonce', 'x-signature'),
  },
  {
    name: 'takes the first timestamp',
    fails: ['headers-two-timestamps'],
    says: /only the first/,
    apply: firstOf('x-timestamp'),
  },
  { name: 'takes the first nonce', fails: ['headers-two-nonces'], says: /only the first/, apply: firstOf('x-nonce') },
  {
    name: 'takes the first signature',
    fails: ['headers-two-signatures'],
    says: /only the first/,
    apply: firstOf('x-signature'),
  },
  {
    name: 'has a window of 600 s for old requests',
    fails: ['timestamp-old'],
    says: /310 s old is accepted.*too wide/,
    apply: () => ({ isInWindow: (age) => age <= 600 && age >= -300 }),
  },
  {
    name: 'has a window of a day for the future',
    fails: ['timestamp-ahead'],
    says: /without abs/,
    apply: () => ({ isInWindow: (age) => age <= 300 && age >= -86_400 }),
  },
  {
    name: 'guesses milliseconds',
    fails: ['timestamp-milliseconds'],
    says: /milliseconds/,
    apply: lenient(/^[0-9]+$/, (value) => (value.length === 13 ? Number(value) / 1000 : Number(value))),
  },
  {
    name: 'negates the smallest difference',
    fails: ['timestamp-milliseconds'],
    says: /3000 years ahead.*time\.Since\(\) then returns the smallest int64/,
    // A duration of Go counts nanoseconds in 64 bits, and stops at both ends.
    apply: () => ({
      isInWindow: (age) => {
        const nanoseconds = BigInt(Math.round(Math.max(age * 1e9, -(2 ** 63))))
        return BigInt.asIntN(64, nanoseconds < 0n ? -nanoseconds : nanoseconds) <= 300_000_000_000n
      },
    }),
  },
  {
    name: 'allows an exponent',
    fails: ['timestamp-exponent'],
    says: /exponent/,
    apply: lenient(/^[0-9]+(e[0-9]+)?$/, Number),
  },
  { name: 'allows a sign', fails: ['timestamp-sign'], says: /a sign/, apply: lenient(/^\+?[0-9]+$/, Number) },
  {
    name: 'ignores what is after a space',
    fails: ['timestamp-space'],
    says: /a space/,
    apply: lenient(/^[0-9]+( .*)?$/, Number.parseInt),
  },
  {
    name: 'allows a fraction',
    fails: ['timestamp-fraction'],
    says: /a fraction/,
    apply: lenient(/^[0-9]+(\.[0-9]+)?$/, Number),
  },
  {
    name: 'ignores letters after the digits',
    fails: ['timestamp-letters'],
    says: /letters/,
    apply: lenient(/^[0-9]+([abc]+)?$/, Number.parseInt),
  },
  {
    name: 'allows an empty nonce',
    fails: ['nonce-empty'],
    says: /empty nonce/,
    apply: () => ({ isNonce: (nonce) => /^[!-~]{0,128}$/.test(nonce) }),
  },
  {
    name: 'allows 200 characters',
    fails: ['nonce-129'],
    says: /129 characters is accepted/,
    apply: () => ({ isNonce: (nonce) => /^[!-~]{1,200}$/.test(nonce) }),
  },
  {
    name: 'allows a space',
    fails: ['nonce-space'],
    says: /a space/,
    apply: () => ({ isNonce: (nonce) => /^[ -~]{1,128}$/.test(nonce) }),
  },
  {
    name: 'allows Latin-1, as text',
    fails: ['nonce-outside-ascii'],
    says: /signed as UTF-8.*outside ASCII/,
    apply: () => ({ isNonce: (nonce) => /^[!-~\x80-\xff]{1,128}$/.test(nonce) }),
  },
  {
    name: 'allows Latin-1, as bytes',
    fails: ['nonce-outside-ascii'],
    says: /the byte E9 at the end.*outside ASCII/,
    apply: (receiver) => ({
      isNonce: (nonce) => /^[!-~\x80-\xff]{1,128}$/.test(nonce),
      signatureOf: ([timestamp, nonce], body) =>
        createHmac('sha256', receiver.secret).update(`${timestamp}:${nonce}:`, 'latin1').update(body).digest('hex'),
    }),
  },
  {
    name: 'trims the nonce',
    fails: ['nonce-outside-ascii'],
    says: /no-break space.*trims/,
    apply: (receiver) => {
      const { header } = receiver
      return { header: (request, name) => header.call(receiver, request, name)?.trim() }
    },
  },
  {
    name: 'accepts the empty secret too',
    fails: ['signature-other-secret'],
    says: /empty secret.*another secret is accepted/,
    apply: (receiver) => ({
      isSigned: (values, body) =>
        [receiver.secret, ''].some((secret) => receiver.isEqual(values[2], receiver.signatureOf(values, body, secret))),
    }),
  },
  {
    name: 'compares without regard to case',
    fails: ['signature-uppercase'],
    says: /uppercase/,
    apply: () => ({ isEqual: (received, right) => received.toLowerCase() === right }),
  },
  {
    name: 'removes sha256=',
    fails: ['signature-prefix'],
    says: /sha256=/,
    apply: () => ({ isEqual: (received, right) => received.replace(/^sha256=/, '') === right }),
  },
  {
    name: 'accepts base64',
    fails: ['signature-base64'],
    says: /base64/,
    apply: () => ({
      isEqual: (received, right) => received === right || received === Buffer.from(right, 'hex').toString('base64'),
    }),
  },
  {
    name: 'compares as many digits as arrived',
    fails: ['signature-half'],
    says: /as many digits as arrived/,
    apply: () => ({ isEqual: (received, right) => received !== '' && right.startsWith(received) }),
  },
  {
    name: 'compares 63 digits',
    fails: ['signature-digit'],
    says: /only a part/,
    apply: () => ({
      isEqual: (received, right) => received.length === 64 && received.slice(0, 63) === right.slice(0, 63),
    }),
  },
  {
    name: 'compares the first 64 digits',
    fails: ['signature-longer'],
    says: /first 64 digits/,
    apply: () => ({ isEqual: (received, right) => /^[0-9a-f]+$/.test(received) && received.slice(0, 64) === right }),
  },
  {
    name: 'skips the check if the signature is empty',
    fails: ['signature-empty'],
    says: /empty/,
    apply: () => ({ isEqual: (received, right) => received === '' || received === right }),
  },
  {
    name: 'splits at a comma',
    fails: ['signature-list'],
    says: /comma/,
    apply: () => ({ isEqual: (received, right) => received.split(/, ?/).includes(right) }),
  },
  {
    name: 'repairs the last digit',
    fails: ['body-changed'],
    says: /changed body/,
    apply: orBody((sent) => {
      const digit = sent.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39)
      if (digit === -1) return undefined
      const repaired = Buffer.from(sent)
      repaired.writeUInt8(sent.readUInt8(digit) ^ 1, digit)
      return repaired
    }),
  },
  {
    name: 'ignores what is after the JSON',
    fails: ['body-longer'],
    says: /one byte more/,
    apply: orBody((sent) => (sent.at(-1) === 0x78 ? sent.subarray(0, -1) : undefined)),
  },
  {
    name: 'also verifies the trimmed body',
    fails: ['body-line-end'],
    says: /trims/,
    apply: orBody((sent) => Buffer.from(sent.toString('latin1').trimEnd(), 'latin1')),
  },
  {
    name: 'also verifies the JSON written again',
    fails: ['body-spacing'],
    says: /parses the JSON/,
    apply: orBody((sent) => (sent[0] === 0x20 ? parsed(sent) : undefined)),
  },
  {
    name: 'also verifies the body as text',
    fails: ['body-replacement'],
    says: /decodes/,
    apply: orBody((sent) => Buffer.from(text(sent))),
  },
  {
    name: 'skips the check for events that it does not know',
    fails: ['body-other'],
    says: /another message/,
    apply: () => ({ before: (_, sent) => (text(sent).includes('"event":"other"') ? { status: 200 } : undefined) }),
  },
  {
    name: 'takes an identical request for a retry',
    fails: ['replay-again'],
    says: /A replay is accepted/,
    apply: (receiver) => {
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
    },
  },
  {
    name: 'remembers the timestamp with the nonce',
    fails: ['replay-other-body'],
    says: /not the nonce alone/,
    apply: (receiver) => ({
      reserve: ([timestamp, nonce, signature]) => receiver.take(`${timestamp} ${nonce}`, `signature ${signature}`),
    }),
  },
  {
    name: 'looks up, and stores afterwards',
    fails: ['replay-copies'],
    says: /\d+ of 20 were accepted.*two steps/,
    apply: ({ seen }) => ({
      reserve: async ([, nonce, signature]) => {
        if (seen.has(nonce) || seen.has(signature)) return false
        await sleep(5)
        seen.add(nonce).add(signature)
        return true
      },
    }),
  },
  {
    name: 'remembers the nonce alone',
    fails: ['replay-split'],
    says: /longer nonce.*another colon/,
    apply: (receiver) => ({ reserve: ([, nonce]) => receiver.take(nonce) }),
  },
  {
    name: 'reserves the nonce first',
    fails: ['replay-forged'],
    says: /before it checks the signature/,
    apply: (receiver) => ({
      isNonce: (nonce) => Receiver.prototype.isNonce(nonce) && receiver.take(nonce),
      reserve: ([, , signature]) => receiver.take(`signature ${signature}`),
    }),
  },
  {
    name: 'remembers a nonce for 2 s',
    fails: ['replay-late'],
    says: /forgets nonces too early/,
    apply: (receiver) => ({
      reserve: ([, nonce, signature]) => {
        const isFree = receiver.take(nonce, `signature ${signature}`)
        const forget = () => {
          if (isFree) for (const key of [nonce, `signature ${signature}`]) receiver.seen.delete(key)
        }
        setTimeout(forget, 2000)
        return isFree
      },
    }),
  },
  {
    name: 'throws for a large timestamp',
    fails: ['answers-hostile'],
    fault: 'server-error',
    says: /a timestamp of 20 digits.*500 or above/,
    apply: () => ({ isInWindow: (age) => new Date(age * 1000).toISOString() !== '' && Math.abs(age) <= 300 }),
  },
  {
    name: 'locks everybody out after a strange signature',
    fails: ['answers-alive'],
    says: /refuses a valid request/,
    apply: (receiver) => {
      let isLocked = false
      return {
        before: ({ headers }) => {
          isLocked ||= /[^ -~]/.test(String(headers['x-signature']))
          return isLocked ? receiver.reject('locked') : undefined
        },
      }
    },
  },
]

function hmacOf(key: string | Buffer, ...parts: readonly (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

/** Receivers that refuse every valid request, because they expect another signature. */
export const SIGNED_OTHERWISE: readonly (Pick<Mistake, 'name' | 'says' | 'apply'> & { secret?: string })[] = [
  { name: 'milliseconds', says: /as milliseconds/, apply: () => ({ seconds: (value) => Number(value) / 1000 }) },
  {
    name: 'JSON with spaces',
    says: /only JSON with spaces/,
    apply: () => ({
      bodies: (sent) => [Buffer.from(text(sent).replace(/":"/g, '": "').replace(/","/g, '", "'))],
    }),
  },
  {
    name: 'a prefix',
    says: /"sha256=" before/,
    apply: () => ({ isEqual: (received, right) => received === `sha256=${right}` }),
  },
  {
    name: 'base64',
    says: /in base64/,
    apply: () => ({ isEqual: (received, right) => received === Buffer.from(right, 'hex').toString('base64') }),
  },
  {
    name: 'uppercase',
    says: /in uppercase/,
    apply: () => ({ isEqual: (received, right) => received === right.toUpperCase() }),
  },
  {
    name: 'the body alone',
    says: /body alone/,
    apply: ({ secret }) => ({ signatureOf: (_, body) => hmacOf(secret, body) }),
  },
  {
    name: 'no nonce',
    says: /without the nonce/,
    apply: ({ secret }) => ({ signatureOf: ([time], body) => hmacOf(secret, `${time}:`, body) }),
  },
  {
    name: 'dots',
    says: /with dots/,
    apply: ({ secret }) => ({ signatureOf: ([time, nonce], body) => hmacOf(secret, `${time}.${nonce}.`, body) }),
  },
  {
    name: 'newlines',
    says: /with newlines/,
    apply: ({ secret }) => ({ signatureOf: ([time, nonce], body) => hmacOf(secret, `${time}\n${nonce}\n`, body) }),
  },
  {
    name: 'nothing between the parts',
    says: /without colons/,
    apply: ({ secret }) => ({ signatureOf: ([time, nonce], body) => hmacOf(secret, time, nonce, body) }),
  },
  {
    name: 'the nonce first',
    says: /nonce before the timestamp/,
    apply: ({ secret }) => ({ signatureOf: ([time, nonce], body) => hmacOf(secret, `${nonce}:${time}:`, body) }),
  },
  {
    name: 'a newline after the body',
    says: /adds a newline/,
    apply: () => ({ bodies: (sent) => [Buffer.concat([sent, Buffer.from('\n')])] }),
  },
  ...(
    [
      ['the secret with a newline', /secret of the endpoint ends with a newline/, (secret) => `${secret}\n`],
      ['the secret as base64', /as base64/, (secret) => Buffer.from(secret, 'base64')],
      ['the secret as hex', /as hex/, (secret) => Buffer.from(secret, 'hex'), '00ff'.repeat(16)],
      ['the secret without white space', /trims the secret/, (secret) => secret.trim(), ' a secret '],
    ] as [string, RegExp, (secret: string) => string | Buffer, string?][]
  ).map(([name, says, keyOf, secret]) => ({
    name,
    says,
    ...(secret === undefined ? {} : { secret }),
    apply: (receiver: Receiver): Partial<Receiver> => ({
      signatureOf: ([time, nonce], body) => hmacOf(keyOf(receiver.secret), `${time}:${nonce}:`, body),
    }),
  })),
]

/** Joins the values of a header, as most servers do. */
const JOINED: Partial<Receiver> = { header: ({ headersDistinct }, name) => headersDistinct[name]?.join(', ') }

/** Mistakes that fail several cases, of which `fails` has some. The first cause of `check` must say the words. */
export const COMMON_MISTAKES: readonly Mistake[] = [
  {
    name: 'ignores the result',
    fails: ['headers-none', 'timestamp-old', 'signature-other-secret', 'body-changed', 'replay-again'],
    says: /accepts every request/,
    apply: () => ({ before: () => ({ status: 200 }) }),
  },
  {
    name: 'answers rejections with 200',
    fails: ['headers-none', 'replay-again', 'replay-copies'],
    says: /2xx and an error text/,
    apply: () => ({ reject: (reason) => ({ status: 200, text: `error: ${reason}` }) }),
  },
  {
    name: 'does not compare the signature',
    fails: ['signature-other-secret', 'signature-empty', 'body-changed'],
    says: /does not check the signature/,
    apply: () => ({ isSigned: () => true }),
  },
  {
    name: 'parses the JSON and writes it again',
    fails: ['accepted-json-unusual', 'body-spacing'],
    says: /parses the JSON/,
    apply: () => ({ bodies: (sent) => [parsed(sent)] }),
  },
  {
    name: 'decodes the body',
    fails: ['accepted-bytes', 'accepted-compressed', 'body-replacement'],
    says: /decodes the body to a string/,
    apply: () => ({ bodies: (sent) => [Buffer.from(text(sent))] }),
  },
  {
    name: 'answers 400 to what is not JSON, after the check',
    fails: ['accepted-bytes', 'accepted-form'],
    says: /Other rejected requests get another status/,
    apply: () => ({
      accept: (sent) => ({ status: /^[ \ufeff]*\{/.test(text(sent)) ? 204 : 400 }),
    }),
  },
  {
    name: 'reads the raw body of JSON alone',
    fails: ['accepted-form', 'accepted-plain-text', 'accepted-no-type'],
    says: /keeps the raw body only if the Content-Type is JSON/,
    apply: () => ({ bodies: (sent, request) => [/json/.test(String(typeOf(request))) ? sent : Buffer.alloc(0)] }),
  },
  {
    name: 'trims the body',
    fails: ['accepted-line-ends', 'body-line-end'],
    says: /trims the body/,
    apply: () => ({ bodies: (sent) => [Buffer.from(sent.toString('latin1').trim(), 'latin1')] }),
  },
  {
    name: 'remembers nothing',
    fails: ['replay-again', 'replay-copies', 'replay-late'],
    says: /The endpoint does not store nonces/,
    apply: () => ({ reserve: () => true }),
  },
  {
    name: 'has two memories in turn',
    fails: ['replay-again', 'replay-copies'],
    says: /each process, instance or request has its own store/,
    apply: ({ secret }) => {
      const receivers = [new Receiver(secret), new Receiver(secret)]
      return {
        reserve: (values, body) => {
          receivers.reverse()
          return receivers[0]?.reserve(values, body) ?? false
        },
      }
    },
  },
  {
    name: 'converts the timestamp',
    fails: ['timestamp-exponent', 'timestamp-sign', 'timestamp-fraction'],
    says: /with an exponent is accepted/,
    apply: () => ({ isTimestamp: (value) => !Number.isNaN(Number(value)) }),
  },
  {
    name: 'has no window',
    fails: ['timestamp-old', 'timestamp-ahead', 'timestamp-milliseconds'],
    says: /310 s old is accepted. The window is probably not checked/,
    apply: () => ({ isInWindow: () => true }),
  },
  {
    name: 'has no window for the future',
    fails: ['timestamp-ahead', 'timestamp-milliseconds'],
    says: /only that the timestamp is not too old, without abs/,
    apply: () => ({ isInWindow: (age) => age <= 300 }),
  },
  {
    name: 'has a window of 60 s',
    fails: ['accepted-old', 'accepted-ahead'],
    says: /window of the endpoint is probably less than 300 s/,
    apply: () => ({ isInWindow: (age) => Math.abs(age) <= 60 }),
  },
  {
    name: 'skips the check if a header is missing',
    fails: ['headers-no-timestamp', 'headers-no-nonce', 'headers-no-signature', 'headers-none'],
    says: /probably skips a check if the header is missing/,
    apply: () => ({
      before: (request) =>
        ['x-timestamp', 'x-nonce', 'x-signature'].every((name) => has(request, name)) ? undefined : { status: 200 },
    }),
  },
  {
    name: 'takes the last value',
    fails: ['headers-two-timestamps', 'headers-two-nonces', 'headers-two-signatures'],
    says: /only the first or the last/,
    apply: () => ({ header: (request, name) => request.headersDistinct[name]?.at(-1) }),
  },
  {
    name: 'takes every nonce',
    fails: ['nonce-empty', 'nonce-129', 'nonce-space', 'nonce-outside-ascii'],
    says: /empty nonce is accepted/,
    apply: () => ({ isNonce: () => true }),
  },
  {
    name: 'wants a UUID',
    fails: ['accepted-nonce-short', 'accepted-nonce-long', 'accepted-nonce-visible'],
    says: /wants a UUID or a minimum length/,
    apply: () => ({ isNonce: (nonce) => /^[\da-f-]{36}$/.test(nonce) }),
  },
  {
    name: 'compares the beginning',
    fails: ['signature-half', 'signature-empty'],
    says: /compares only as many digits as arrived/,
    apply: () => ({ isEqual: (received, right) => right.startsWith(received) }),
  },
  {
    name: 'decodes the signature from hex',
    fails: ['headers-two-signatures', 'signature-uppercase', 'signature-longer', 'signature-list'],
    says: /decodes the hex before it compares/,
    apply: () => ({
      ...JOINED,
      isEqual: (received, right) => Buffer.from(received, 'hex').equals(Buffer.from(right, 'hex')),
    }),
  },
  {
    name: 'compares the first 64 characters',
    fails: ['headers-two-signatures', 'signature-longer', 'signature-list'],
    says: /compares only the first 64 digits/,
    apply: () => ({ ...JOINED, isEqual: (received, right) => received.slice(0, 64) === right }),
  },
  {
    name: 'splits joined signatures',
    fails: ['headers-two-signatures', 'signature-list'],
    says: /splits the header at the comma/,
    apply: () => ({ ...JOINED, isEqual: (received, right) => received.split(/, ?/).includes(right) }),
  },
  {
    name: 'compares the signature only if there is one',
    fails: ['headers-no-signature', 'signature-empty'],
    says: /skips a check if the header is missing/,
    apply: (receiver) => ({
      header: ({ headersDistinct }, name) => headersDistinct[name]?.join(', ') ?? '',
      isEqual: (received, right) => received === '' || received === right,
      reserve: ([, nonce, signature]) => receiver.take(nonce, `signature ${signature || nonce}`),
    }),
  },
  {
    name: 'has a clock 20 s ahead',
    fails: ['accepted-old', 'timestamp-ahead'],
    says: /clock of the endpoint is ahead/,
    apply: () => ({ isInWindow: (age) => Math.abs(age + 20) <= 300 }),
  },
  {
    name: 'has a clock 20 s behind',
    fails: ['accepted-ahead', 'timestamp-old'],
    says: /clock of the endpoint is behind/,
    apply: () => ({ isInWindow: (age) => Math.abs(age - 20) <= 300 }),
  },
  {
    name: 'has no store for a while',
    fails: ['timestamp-old', 'timestamp-ahead'],
    says: /endpoint or its store was unavailable/,
    apply: () => {
      let requests = 0
      return { before: () => (requests++ < 30 || requests > 40 ? undefined : { status: 503 }) }
    },
  },
  {
    name: 'redirects what it rejects',
    fails: ['headers-none', 'replay-again'],
    says: /redirect/,
    apply: () => ({ reject: () => ({ status: 302 }) }),
  },
  {
    name: 'compares without a check of the length',
    fails: ['signature-prefix', 'signature-half', 'signature-longer', 'signature-empty'],
    says: /comparison throws for a signature of another length/,
    apply: () => ({ isEqual: (received, right) => timingSafeEqual(Buffer.from(received), Buffer.from(right)) }),
  },
  {
    name: 'throws for a missing header',
    fails: ['headers-no-timestamp', 'headers-none'],
    says: /uses a header before it checks that the header is there/,
    apply: () => ({ header: ({ headersDistinct }, name) => headersDistinct[name]?.join(',') ?? fail() }),
  },
  {
    name: 'limits the rate',
    fails: ['timestamp-old'],
    says: /limits the rate/,
    apply: () => {
      let requests = 0
      return { before: () => (requests++ < 30 ? undefined : { status: 429 }) }
    },
  },
]

function fail(): never {
  throw new TypeError('a header is missing')
}
