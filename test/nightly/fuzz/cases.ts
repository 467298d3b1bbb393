import { fc } from '../../support/fast-check.js'
import type { FuzzedScheme } from './schemes.js'
import { BODY_SHAPES, HEADER_SHAPES, STORES, WRONG_ANSWERS } from './shapes.js'

// Draws requests that are valid or almost valid. Each is plain data, which fast-check makes smaller if the library and the oracle disagree.

/** A body's characters are its bytes (Latin-1), so that one set of edits serves all parts. */
export interface Message {
  timestamp: string
  nonce: string
  signature: string
  body: string
}

/** The year 2023, the limits of 32 bits, and the years 1970, 9999 and 275 760. */
const STARTS = [0, 600_000, 2 ** 31 * 1000, 2 ** 32 * 1000, 253_402_300_799_000, 8_639_999_999_000_000]
const ADVANCES = [1, 0.25, 999, 1000, 299_999, 300_000, 300_000.5, 599_999, 600_000, 600_000.25, 600_001, 601_000]
const DRIFTS = [1, -1, 0.5, 1000, -1000, 10_000, -10_000, 300_000, -300_000, 31_557_600_000, -31_557_600_000]
const OFFSETS = [-300, 300, -301, 301, -299, 299, 1, -1, 86_400, -86_400]
const WEBHOOKS = ['43', 'a', 'a:b', 'A', '__proto__', '42\0', '\u{1f98a}', 'w'.repeat(3000), '', '\ud800']
const BODIES = ['', 'b', '{"a":1}', 'x:{"a":1}', '1}', ':', '::::', '"a":"b":', ' :', 'a.b.c', '1700000000.x', '\x7f:']
const BYTES = ['\xef\xbb\xbf{}', '\xff\xfe\0:']
/** Wrong values that people and attackers send. */
const PIECES = [
  ...'019:/ \t\n\0,+-.e_nxAfg={}"!~\x7f\x80\xa0\xad\xff',
  // Digits, letters and signs that look like those of ASCII, or become one when their case is changed.
  ...'\u0660\u0967\uff11\uff10\u00b2\u2160\u0430\u0435\u03bf\uff1a\u2236\u017f\u212a\u0130\u0131\u200b\u2028\ufeff\u{1d7ce}\u{1f98a}',
  ...['\ud800', '\udfff', 'e\u0301', '\r\n', ', ', 'signature '],
  ...'00 .0 e3 1e9 0x NaN sha256= v1, 1700000000 1699999700 1700000300 1700000000000'.split(' '),
  ...['__proto__', 'constructor', 'toString'],
]
const NOISE = [...'host get headers raw req then length constructor __proto__ x_timestamp'.split(' '), 'x-nonce ']
const STRANGE_NAMES = ['x-s\u0130gnature', 'x-t\u0131mestamp', 'x-timestam\u0440', '\u0445-nonce', 'x\u2010nonce', '']
const WRONG_TIMES = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  undefined,
  null,
  '1700000000000',
  1n,
  {},
]

/** Draws the usual value, or once in `times` draws another one. */
function usually<U, T>(usual: U, times: number, other: fc.Arbitrary<T>): fc.Arbitrary<U | T> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}
const rarely = <T>(times: number, other: fc.Arbitrary<T>) => usually(undefined, times, other)
const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const place = fc.nat({ max: 300 })

const PARTS = ['timestamp', 'nonce', 'signature', 'body'] as const
/** One change of a part of a message: what is between two places becomes another text. */
const edits = fc.array(
  fc.record({
    part: oneOf(PARTS),
    at: place,
    removed: fc.nat({ max: 3 }),
    change: oneOf([
      ...['bit', 'piece', 'double', 'other part', 'case', 'only a piece', 'zeros', 'spaces', 'twice'],
    ] as const),
    piece: oneOf(['', ...PIECES]),
    bit: fc.nat({ max: 15 }),
    other: oneOf(PARTS),
    zeros: usually(2, 50, fc.nat({ max: 100_000 })),
  }),
  { minLength: 1, maxLength: 3 },
)

/** What happens to a header: index, what, and another name or value. */
const fieldChanges = (names: readonly string[]) =>
  fc.array(
    fc.record({
      index: fc.nat({ max: 2 }),
      change: oneOf(['drop', 'repeat', 'uppercase', 'second', 'rename', 'noise', 'reverse', 'other value'] as const),
      name: oneOf([...names, ...STRANGE_NAMES]),
      noise: oneOf(NOISE),
      piece: oneOf(PIECES),
    }),
    { minLength: 1, maxLength: 3 },
  )

/** Draws the choices of one request. They become a request in {@link prepare}, which knows the time and the earlier messages. */
function steps(scheme: FuzzedScheme) {
  const secret = usually(
    scheme.secrets[0] as string,
    4,
    usually(scheme.secrets[1] as string, 8, oneOf(scheme.rareSecrets)),
  )
  const anySecret = fc.oneof(
    { weight: 7, arbitrary: oneOf(scheme.secrets) },
    { weight: 1, arbitrary: oneOf(scheme.rareSecrets) },
  )
  return fc.record({
    /** The earlier message to send again, if there is one. */
    known: usually(undefined, 2, fc.nat({ max: 7 })),
    offset: usually(0, 4, oneOf(OFFSETS)),
    nonce: fc.oneof({ weight: 7, arbitrary: oneOf(scheme.nonces) }, { weight: 1, arbitrary: oneOf(scheme.rareNonces) }),
    suffix: usually('', 4, fc.nat({ max: 999 }).map(String)),
    content: fc.oneof(
      { weight: 3, arbitrary: oneOf([...BODIES, ...BYTES]) },
      {
        weight: 1,
        arbitrary: fc.array(fc.nat({ max: 255 }), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes)),
      },
    ),
    secret: fc.oneof(secret, anySecret),
    signedEdits: rarely(6, edits),
    signatures: rarely(3, fc.array(fc.tuple(fc.nat({ max: 6 }), fc.boolean()), { maxLength: 9 })),
    separator: usually(' ', 64, oneOf([', ', ',', '\t', '  '])),
    split: rarely(4, fc.array(fc.tuple(place, usually(true, 8, fc.constant(false))), { minLength: 2, maxLength: 2 })),
    edits: usually(undefined, 2, edits),
    moreSecrets: rarely(4, fc.array(fc.tuple(anySecret, fc.boolean()), { minLength: 1, maxLength: 2 })),
    dropsSecret: usually(false, 32, fc.constant(true)),
    webhookId: usually('42', 8, oneOf(WEBHOOKS)),
    names: usually(0, 8, fc.nat({ max: scheme.rules.headers.length - 1 })),
    fieldChanges: rarely(3, fieldChanges(scheme.rules.headers.flat())),
    text: rarely(64, oneOf(PIECES)),
    headerShape: oneOf(HEADER_SHAPES),
    bodyShape: oneOf(BODY_SHAPES),
    /** The milliseconds before the request, and until the store answers. */
    before: usually(0, 8, oneOf(ADVANCES)),
    during: usually(0, 16, oneOf(ADVANCES)),
    /** The difference between the clocks of server and store from now on, in milliseconds. */
    drift: rarely(32, oneOf([0, ...DRIFTS])),
    /** The value of a broken clock of the server. */
    wrongTime: rarely(
      64,
      oneOf(WRONG_TIMES).map((now) => ({ now })),
    ),
    /** The store's answer, if it is not true or false. */
    wrongAnswer: rarely(64, oneOf(WRONG_ANSWERS)),
  })
}

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never
export type Step = Drawn<ReturnType<typeof steps>>
export type Case = Drawn<ReturnType<typeof cases>>

/** Draws one case: a store, and a sequence of requests by one scheme. */
export function cases(scheme: FuzzedScheme) {
  return fc.record({
    start: usually(1_700_000_000_000, 4, oneOf(STARTS)),
    store: oneOf(STORES),
    capacity: usually(1000, 4, fc.integer({ min: 4, max: 11 })),
    forgetsOldest: fc.boolean(),
    steps: fc.array(steps(scheme), { minLength: 1, maxLength: 30, size: 'max' }),
  })
}

/** The messages that were sent, each with its secret. */
export type Sent = { message: Message; secret: string }[]

/** Returns the request of a step: the message as it is received, its headers and its secrets. */
export function prepare(scheme: FuzzedScheme, step: Step, now: number, sent: Sent) {
  const earlier = step.known === undefined ? undefined : sent[step.known % Math.max(1, sent.length)]
  const { message, secret } = earlier ?? signMessage(scheme, step, now)
  if (earlier === undefined && sent.length < 8) sent.push({ message, secret })
  const received = { ...message }
  if (step.split !== undefined) splitElsewhere(scheme, step.split, received)
  edit(received, step.edits)
  const secrets = [secret]
  for (const [other, isFirst] of step.moreSecrets ?? []) secrets.splice(isFirst ? 0 : 1, 0, other)
  if (step.dropsSecret) secrets.pop()
  return { received, secrets, fields: fieldsOf(scheme, step, received) }
}

/** A message with its signature. If it is edited before it is signed, a valid signature covers a wrong part. */
function signMessage(scheme: FuzzedScheme, step: Step, now: number): Sent[number] {
  const seconds = Math.max(0, Math.floor(now / 1000) + step.offset)
  const message = { timestamp: String(seconds), nonce: step.nonce + step.suffix, signature: '', body: step.content }
  edit(message, step.signedEdits)
  message.signature = scheme.sign(message, step)
  return { message, secret: step.secret }
}

/** Moves the boundaries between the parts of the signed message to other separators, or to places without one. */
function splitElsewhere(
  { movable, separator }: FuzzedScheme,
  split: NonNullable<Step['split']>,
  message: Message,
): void {
  let rest = movable.map((part) => message[part]).join(separator)
  for (const [index, part] of movable.slice(0, -1).entries()) {
    const [place = 0, isSeparator = true] = split[index] ?? []
    const places = [...rest].flatMap((unit, at) => (unit === separator ? [at] : []))
    const at = (isSeparator ? places[place % Math.max(1, places.length)] : undefined) ?? place % (rest.length + 1)
    message[part] = rest.slice(0, at)
    rest = rest.slice(at + 1)
  }
  message.body = rest
}

function edit(message: Message, list: Drawn<typeof edits> | undefined): void {
  for (const { part, at: place, removed, change, piece, bit, other, zeros } of list ?? []) {
    const before = message[part]
    const at = place % (before.length + 1)
    const spliced = (middle: string, end = at + removed) => before.slice(0, at) + middle + before.slice(end)
    const flipped = String.fromCharCode((before.charCodeAt(at) || 0) ^ (1 << (part === 'body' ? bit % 8 : bit)))
    const changed = {
      bit: () => spliced(flipped, at + 1),
      piece: () => spliced(piece),
      double: () => spliced(before.slice(at, at + removed).repeat(2)),
      'other part': () => spliced(message[other].slice(0, 70), at),
      case: () => (before.toUpperCase() === before ? before.toLowerCase() : before.toUpperCase()),
      'only a piece': () => piece,
      zeros: () => '0'.repeat(zeros) + before,
      spaces: () => [before.trim(), ` ${before}`, `${before} `, `${before}\n`][bit % 4] as string,
      twice: () => (bit % 2 === 0 ? `${before}, ${before}` : `"${before}"`),
    }[change]()
    const isLatin1 = !/[^\0-\xff]/.test(changed)
    message[part] = part === 'body' && !isLatin1 ? Buffer.from(changed).toString('latin1') : changed
  }
}

export type Fields = [name: string, value: string][]

function fieldsOf({ rules: { headers } }: FuzzedScheme, step: Step, { timestamp, nonce, signature }: Message): Fields {
  const values = [timestamp, nonce, signature]
  const fields: Fields = (headers[step.names] ?? []).map((name, index) => [name, values[index] ?? ''])
  for (const { index: drawn, change, name: otherName, noise, piece } of step.fieldChanges ?? []) {
    const index = drawn % Math.max(1, fields.length)
    const [name = '', value = ''] = fields[index] ?? []
    if (change === 'drop') fields.splice(index, 1)
    if (change === 'repeat') fields.push([name, value])
    if (change === 'uppercase') fields[index] = [name.toUpperCase(), value]
    if (change === 'second') fields.push([name.replace(/^[a-z]/, (letter) => letter.toUpperCase()), piece])
    if (change === 'rename') fields[index] = [otherName, value]
    if (change === 'noise') fields.unshift([noise, piece])
    if (change === 'reverse') fields.reverse()
    if (change === 'other value') fields[index] = [name, fields.at(-1)?.[1] ?? '']
  }
  return fields
}
