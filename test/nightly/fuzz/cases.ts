import type { Choices } from './choices.js'
import { type FuzzedScheme, SCHEMES } from './schemes.js'

// Makes requests that are valid or almost valid. This file creates plain data. shapes.ts converts it to JavaScript values.

/** A body's characters are its bytes (Latin-1), so that one set of edits serves all parts. */
export interface Message {
  timestamp: string
  nonce: string
  signature: string
  body: string
}

export interface Step {
  webhookId: string
  secrets: readonly string[]
  fields: [name: string, value: string][]
  body: string
  /** The body as text, if it is not passed as bytes. */
  text: string | undefined
  headerShape: (typeof HEADER_SHAPES)[number]
  bodyShape: (typeof BODY_SHAPES)[number]
  /** The milliseconds before the request, and until the store answers. */
  before: number
  during: number
  /** The difference between the clocks of server and store from now on, in milliseconds. */
  drift: number
  /** The value of a broken clock of the server. */
  wrongClock: [now: unknown] | undefined
  /** The store's answer, if it is not true or false. */
  wrongAnswer: (typeof WRONG_ANSWERS)[number] | undefined
}

export interface Case {
  scheme: FuzzedScheme
  start: number
  store: (typeof STORES)[number]
  capacity: number
  forgetsOldest: boolean
  steps: Step[]
}

export const HEADER_SHAPES = [
  'record',
  'pairs',
  'map',
  'fetch',
  'lists',
  'null prototype',
  'getters',
  'proxy',
  'own get',
  'inherited noise',
] as const
export const BODY_SHAPES = ['bytes', 'buffer', 'part', 'array buffer', 'shared', 'text'] as const
export const STORES = ['memory', 'slow', 'at once'] as const
export const WRONG_ANSWERS = [
  'undefined',
  'null',
  '1',
  'text',
  'object',
  'throws',
  'rejects',
  'rejects nothing',
] as const

/** The year 2023, the limits of 32 bits, and the years 1970, 9999 and 275 760. */
const STARTS = [
  1_700_000_000_000,
  0,
  600_000,
  2 ** 31 * 1000,
  2 ** 32 * 1000,
  253_402_300_799_000,
  8_639_999_999_000_000,
]
const ADVANCES = [
  0, 0, 0, 0, 1, 0.25, 999, 1000, 299_999, 300_000, 300_000.5, 599_999, 600_000, 600_000.25, 600_001, 601_000,
]
const DRIFTS = [0, 0, 1, -1, 0.5, 1000, -1000, 10_000, -10_000, 300_000, -300_000, 31_557_600_000, -31_557_600_000]
const OFFSETS = [0, 0, 0, -300, 300, -301, 301, -299, 299, 1, -1, 86_400, -86_400]
const WEBHOOKS = ['42', '43', 'a', 'a:b', 'A', '__proto__', '42\0', '\u{1f98a}', 'w'.repeat(3000), '', '\ud800']
const BODIES = [
  '',
  'b',
  '{"a":1}',
  'x:{"a":1}',
  '1}',
  ':',
  '::::',
  '"a":"b":',
  ' :',
  'a.b.c',
  '1700000000.x',
  '\x7f:',
  '\xef\xbb\xbf{}',
  '\xff\xfe\0:',
]
/** Wrong values that people and attackers send. */
const PIECES = [
  ...'019:/ \t\n\0,+-.e_nxAfg={}"!~\x7f\x80\xa0\xad\xff',
  // Digits, letters and signs that look like those of ASCII, or become one when their case is changed.
  ...'\u0660\u0967\uff11\uff10\u00b2\u2160\u0430\u0435\u03bf\uff1a\u2236\u017f\u212a\u0130\u0131\u200b\u2028\ufeff\u{1d7ce}\u{1f98a}',
  '\ud800',
  '\udfff',
  'e\u0301',
  ...['\r\n', ', ', '00', '.0', 'e3', '1e9', '0x', 'NaN', 'Infinity', 'sha256=', 'v1,', 'signature '],
  ...['1700000000', '1699999700', '1700000300', '1700000000000', '__proto__', 'constructor', 'toString'],
]
const NOISE = [
  'host',
  'get',
  'headers',
  'raw',
  'req',
  'then',
  'length',
  'constructor',
  '__proto__',
  'x_timestamp',
  'x-nonce ',
  'x-nonces',
  'webhook-ids',
]
const STRANGE_NAMES = [
  'x-s\u0130gnature',
  'x-t\u0131mestamp',
  'x-timestam\u0440',
  '\u0445-nonce',
  'x\u2010nonce',
  'x-non\u0441e',
  '',
]
const WRONG_CLOCKS: readonly [unknown][] = [
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [Number.NEGATIVE_INFINITY],
  [undefined],
  [null],
  ['1700000000000'],
  [1_700_000_000_000n],
  [{}],
]

/** Returns one case: a store, and a sequence of requests by one scheme. */
export function drawCase(choices: Choices, only?: FuzzedScheme): Case {
  const scheme = only ?? choices.pick(SCHEMES)
  const start = choices.oneIn(4) ? choices.pick(STARTS) : (STARTS[0] as number)
  const store = choices.pick(STORES)
  const capacity = choices.oneIn(4) ? 4 + choices.below(8) : 1000
  const forgetsOldest = choices.oneIn(2)
  const sent: { message: Message; secret: string }[] = []
  const steps: Step[] = []
  let time = start
  let drift = 0
  for (const _ of choices.rounds(16)) {
    const before = choices.oneIn(8) ? choices.pick(ADVANCES) : 0
    if (choices.oneIn(32)) drift = choices.pick(DRIFTS)
    time += before
    const step = drawStep(scheme, choices, time + drift, sent)
    steps.push({ ...step, before, drift })
    time += step.during
  }
  return { scheme, start, store, capacity, forgetsOldest, steps }
}

function drawStep(
  scheme: FuzzedScheme,
  choices: Choices,
  now: number,
  sent: { message: Message; secret: string }[],
): Omit<Step, 'before' | 'drift'> {
  const known = sent.length > 0 && choices.oneIn(2)
  const { message, secret } = known ? choices.pick(sent) : drawSigned(scheme, choices, now)
  if (!known && sent.length < 8) sent.push({ message, secret })
  const received = { ...message }
  if (choices.oneIn(4)) splitElsewhere(scheme, choices, received)
  if (choices.oneIn(2)) for (const _ of choices.rounds(1)) edit(choices, received)

  const secrets = [secret]
  if (choices.oneIn(4)) {
    for (const _ of choices.rounds(1)) secrets.splice(choices.below(2), 0, drawSecret(scheme, choices))
    if (choices.oneIn(8)) secrets.splice(choices.below(secrets.length), 1)
  }
  return {
    webhookId: choices.oneIn(8) ? choices.pick(WEBHOOKS) : '42',
    secrets,
    fields: drawFields(scheme, choices, received),
    body: received.body,
    text: choices.oneIn(64) ? received.body + choices.pick(PIECES) : undefined,
    headerShape: choices.pick(HEADER_SHAPES),
    bodyShape: choices.pick(BODY_SHAPES),
    during: choices.oneIn(16) ? choices.pick(ADVANCES) : 0,
    wrongClock: choices.oneIn(64) ? choices.pick(WRONG_CLOCKS) : undefined,
    wrongAnswer: choices.oneIn(64) ? choices.pick(WRONG_ANSWERS) : undefined,
  }
}

function drawSecret({ secrets, rareSecrets }: FuzzedScheme, choices: Choices): string {
  return choices.pick(choices.oneIn(8) ? rareSecrets : secrets)
}

/** A message with its signature. If it is edited before it is signed, a valid signature covers a wrong part. */
function drawSigned(scheme: FuzzedScheme, choices: Choices, now: number): { message: Message; secret: string } {
  const offset = choices.oneIn(4) ? choices.pick(OFFSETS) : 0
  const seconds = Math.max(0, Math.floor(now / 1000) + offset)
  const message: Message = {
    timestamp: String(seconds),
    nonce: choices.pick(choices.oneIn(8) ? scheme.rareNonces : scheme.nonces),
    signature: '',
    body: drawBody(choices),
  }
  if (choices.oneIn(4)) message.nonce += String(choices.below(1000))
  if (choices.oneIn(6)) for (const _ of choices.rounds(1)) edit(choices, message)
  const secret = choices.oneIn(4) ? drawSecret(scheme, choices) : (scheme.secrets[0] ?? '')
  message.signature = scheme.sign(message, secret, choices)
  return { message, secret }
}

function drawBody(choices: Choices): string {
  if (choices.oneIn(4)) {
    let body = ''
    for (const _ of choices.rounds(60)) body += String.fromCharCode(choices.below(256))
    return body
  }
  const body = choices.pick(BODIES)
  return choices.oneIn(1000) ? body + 'y'.repeat(choices.below(100_000)) : body
}

/** Moves the boundaries between the parts of the signed message to other separators, or to places without one. */
function splitElsewhere({ movable, separator }: FuzzedScheme, choices: Choices, message: Message): void {
  let rest = movable.map((part) => message[part]).join(separator)
  for (const part of movable.slice(0, -1)) {
    const places: number[] = []
    for (let at = rest.indexOf(separator); at !== -1 && places.length < 200; at = rest.indexOf(separator, at + 1)) {
      places.push(at)
    }
    const at = choices.oneIn(8) || places.length === 0 ? choices.below(rest.length + 1) : choices.pick(places)
    message[part] = rest.slice(0, at)
    rest = rest.slice(at + 1)
  }
  message.body = rest
}

const PARTS = ['timestamp', 'nonce', 'signature', 'body'] as const

function edit(choices: Choices, message: Message): void {
  const part = choices.pick(PARTS)
  const before = message[part]
  const at = choices.below(before.length + 1)
  const to = Math.min(before.length, at + choices.below(4))
  const spliced = (middle: string, end = to) => before.slice(0, at) + middle + before.slice(end)
  switch (choices.below(10)) {
    case 0: {
      const bit = 1 << choices.below(part === 'body' ? 8 : 16)
      message[part] = spliced(String.fromCharCode((before.charCodeAt(at) || 0) ^ bit), at + 1)
      break
    }
    case 1:
      message[part] = spliced('')
      break
    case 2:
      message[part] = spliced(choices.pick(PIECES), at)
      break
    case 3:
      message[part] = spliced(choices.pick(PIECES))
      break
    case 4:
      message[part] = spliced(before.slice(at, to).repeat(2))
      break
    case 5:
      message[part] = spliced(message[choices.pick(PARTS)].slice(0, 70), at)
      break
    case 6:
      message[part] = before.toUpperCase() === before ? before.toLowerCase() : before.toUpperCase()
      break
    case 7:
      message[part] = choices.pick(PIECES)
      break
    case 8:
      message[part] = `${'0'.repeat(choices.oneIn(50) ? choices.below(100_000) : choices.below(4))}${before}`
      break
    default:
      message[part] = choices.pick([
        before.trim(),
        ` ${before}`,
        `${before} `,
        `${before}\n`,
        `${before}, ${before}`,
        `"${before}"`,
      ])
  }
  if (part === 'body')
    message.body = Buffer.from(message.body, isLatin1(message.body) ? 'latin1' : 'utf8').toString('latin1')
}

function isLatin1(text: string): boolean {
  return !/[^\0-\xff]/.test(text)
}

function drawFields(
  { rules: { headers } }: FuzzedScheme,
  choices: Choices,
  { timestamp, nonce, signature }: Message,
): Step['fields'] {
  const names = choices.oneIn(8) ? choices.pick(headers) : headers[0]
  const values = [timestamp, nonce, signature]
  const fields: Step['fields'] = (names ?? []).map((name, index) => [name, values[index] ?? ''])
  if (!choices.oneIn(3)) return fields
  for (const _ of choices.rounds(2)) {
    if (fields.length === 0) break
    const index = choices.below(fields.length)
    const [name = '', value = ''] = fields[index] ?? []
    switch (choices.below(9)) {
      case 0:
        fields.splice(index, 1)
        break
      case 1:
        fields.push([name, value])
        break
      case 2:
        fields[index] = [name.toUpperCase(), value]
        break
      case 3:
        fields.push([name.replace(/^[a-z]/, (letter) => letter.toUpperCase()), choices.pick(PIECES)])
        break
      case 4:
        fields[index] = [choices.pick(STRANGE_NAMES), value]
        break
      case 5:
        fields.unshift([choices.pick(NOISE), choices.pick(['', value, 'get'])])
        break
      case 6:
        fields.reverse()
        break
      case 7:
        // A name of any set, so that two sets are mixed.
        fields[index] = [choices.pick(choices.pick(headers)), value]
        break
      default:
        fields[index] = [name, fields[choices.below(fields.length)]?.[1] ?? '']
    }
  }
  return fields
}
