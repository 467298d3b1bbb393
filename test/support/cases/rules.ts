import { NONCE, NOW, type Parts, signedRequest, TIMESTAMP } from '../request.js'

// The edges of the rules, one table per rule. The tests of src/ and the suite that runs on every runtime use them.

export type Signed = Partial<Parts & { signature: string }>

/** Requests that break no rule. */
export const ACCEPTED: readonly (readonly [name: string, parts: Signed])[] = [
  ['an empty body', { body: '' }],
  ['a body of every byte', { body: Uint8Array.from({ length: 256 }, (_, byte) => byte) }],
  ['a body of 1 MiB', { body: new Uint8Array(2 ** 20).fill(0xff) }],
  ['text outside ASCII', { body: '{"name":"Zoë 🦊"}' }],
]

/** Headers, and the first one that is missing. */
export const MISSING_HEADERS = [
  [{}, 'x-timestamp'],
  [{ 'x-timestamp': 'nonsense' }, 'x-nonce'],
  [{ 'x-timestamp': 'nonsense', 'x-nonce': '' }, 'x-signature'],
  [{ 'x-signature': '' }, 'x-timestamp'],
] as const

export const INVALID_TIMESTAMPS = [
  '',
  ' ',
  ` ${TIMESTAMP}`,
  `${TIMESTAMP} `,
  `${TIMESTAMP}\n`,
  `+${TIMESTAMP}`,
  `-${TIMESTAMP}`,
  `${TIMESTAMP}.0`,
  `${TIMESTAMP}.`,
  '1.7e9',
  '1e9',
  '0x6553f100',
  '1_700_000_000',
  '1,700,000,000',
  // The characters before 0 and after 9.
  '169999999/',
  '169999999:',
  `${TIMESTAMP}, ${TIMESTAMP}`,
  '\u0661\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660',
  '\uff11\uff17\uff10\uff10\uff10\uff10\uff10\uff10\uff10\uff10',
  'NaN',
  'Infinity',
  '2023-11-14T22:13:20Z',
]

/** Milliseconds from the timestamp to server time. */
export const WINDOW: readonly (readonly [milliseconds: number, accepted: boolean])[] = [
  [-300_000, true],
  [-300_000.5, false],
  [-300_001, false],
  [-299_999.5, true],
  [-301_000, false],
  [0, true],
  [299_999.5, true],
  [300_000, true],
  [300_000.5, false],
  [300_001, false],
  [301_000, false],
]

export const TIMESTAMPS_OUTSIDE_WINDOW = ['0', '9'.repeat(400), `${NOW}`, `1${'0'.repeat(65_536)}`]

/** Values that a broken clock may return. */
export const INVALID_TIMES: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  undefined,
  String(NOW),
  new Date(NOW),
  1n,
]

export const INVALID_NONCES: readonly (readonly [name: string, nonce: string])[] = [
  ['nothing', ''],
  ['a space', ' '],
  ['a space inside', 'a b'],
  ['a space before', ' a'],
  ['a space after', 'a '],
  ['a tab', 'a\tb'],
  ['a line feed after', 'a\n'],
  ['a NUL', 'a\0'],
  ['DEL', 'a\x7f'],
  ['0x80', 'a\x80'],
  ['a Latin-1 letter', 'é'],
  ['a fullwidth letter', '\uff41'],
  ['an emoji', '🦊'],
  ['a lone surrogate', '\ud83e'],
  ['two values joined', 'a, b'],
  ['129 characters', 'a'.repeat(129)],
  ['65 536 characters', 'a'.repeat(65_536)],
]

export const NONCE_LENGTHS = [1, 2, 36, 127, 128]

const valid = signedRequest().headers['x-signature']

export const INVALID_SIGNATURES: readonly (readonly [name: string, signature: string])[] = [
  ['nothing', ''],
  ['uppercase hex', valid.toUpperCase()],
  ['one uppercase digit', valid.replace(/[a-f]/, (digit) => digit.toUpperCase())],
  ['a prefix', `sha256=${valid}`],
  ['63 digits', valid.slice(1)],
  ['62 digits', valid.slice(2)],
  ['65 digits', `${valid}0`],
  ['66 digits', `${valid}00`],
  ['twice the digits', `${valid}${valid}`],
  ['two values joined', `${valid}, ${valid}`],
  ['a space before', ` ${valid}`],
  ['a line feed after', `${valid}\n`],
  ['a letter that is not a digit', `g${valid.slice(1)}`],
  ['a letter outside ASCII', `é${valid.slice(1)}`],
  ['a letter outside ASCII at the end', `${valid.slice(0, 63)}é`],
  [
    'letters whose low bytes are the digits',
    valid.replace(/./g, (digit) => String.fromCharCode(0x100 + digit.charCodeAt(0))),
  ],
  ['base64', Buffer.from(valid, 'hex').toString('base64')],
  ['65 536 digits', 'a'.repeat(65_536)],
]

/** Signatures of 64 digits: zeros, and the valid one with one digit changed. */
export const WRONG_SIGNATURES: readonly string[] = [
  '0'.repeat(64),
  ...Array.from(valid, (digit, index) => valid.slice(0, index) + (digit === '0' ? '1' : '0') + valid.slice(index + 1)),
]

/** Other messages and secrets that a signature may be for. */
export const SIGNED_OVER: readonly (readonly [name: string, parts: Partial<Parts>])[] = [
  ['another timestamp', { timestamp: String(Number(TIMESTAMP) + 1) }],
  ['another nonce', { nonce: `${NONCE}x` }],
  ['another body', { body: 'a bodY' }],
  ['a longer body', { body: 'a body\n' }],
  ['another secret', { secret: 'the signing secret of webhook 42 ' }],
]

/** Requests that break one rule and all the rules after it. */
export const FIRST_BROKEN: readonly (readonly [reason: string, parts: Signed])[] = [
  ['invalid_timestamp', { timestamp: 'x', nonce: '', signature: '' }],
  ['timestamp_outside_window', { timestamp: '0', nonce: '', signature: '' }],
  ['invalid_nonce', { nonce: '', signature: '' }],
  ['signature_mismatch', { signature: '' }],
  ['replayed_nonce', {}],
]

/** Splits of a message, and whether it can be split differently. */
export const SPLITS: readonly (readonly [
  name: string,
  split: { nonce: string; body: string | Uint8Array },
  isSplittable: boolean,
])[] = [
  ['no colon anywhere', { nonce: 'abc', body: 'body' }, false],
  ['an empty body', { nonce: 'abc', body: '' }, false],
  ['a colon in the nonce', { nonce: 'a:c', body: '' }, true],
  ['a colon at the end of the nonce', { nonce: 'a:', body: '' }, true],
  ['a colon at the start of the nonce (a nonce is not empty)', { nonce: ':a', body: '' }, false],
  ['two colons at the start of the nonce', { nonce: '::a', body: '' }, true],
  ['nothing but a colon', { nonce: ':', body: '' }, false],
  ['a colon at the start of the body', { nonce: 'abc', body: ':' }, true],
  ['a colon behind a space in the body', { nonce: 'abc', body: 'a b:c' }, false],
  ['a colon behind a control character in the body', { nonce: 'abc', body: '{\n"a":1}' }, false],
  ['a colon behind a byte outside ASCII', { nonce: 'abc', body: Uint8Array.of(0x61, 0x80, 0x3a) }, false],
  ['a colon behind DEL', { nonce: 'abc', body: 'a\x7f:' }, false],
  ['a colon behind the first and last visible characters', { nonce: 'abc', body: '!~:' }, true],
  ['a colon that ends a nonce of 128 characters', { nonce: 'a'.repeat(100), body: `${'b'.repeat(27)}:` }, true],
  ['a colon that ends one of 129', { nonce: 'a'.repeat(100), body: `${'b'.repeat(28)}:` }, false],
  ['a nonce of 127 characters and a colon', { nonce: 'a'.repeat(127), body: ':' }, true],
  ['a nonce of 128 characters and a colon', { nonce: 'a'.repeat(128), body: ':' }, false],
  ['a nonce of 128 characters with a colon', { nonce: `${'a'.repeat(127)}:`, body: ':' }, true],
]

/** The two splits of one message. */
export const TWO_SPLITS = [
  { nonce: 'abc', body: '{"a":1}' },
  { nonce: 'abc:{"a"', body: '1}' },
] as const

export const SECRETS: readonly (readonly [name: string, secret: string])[] = [
  ['is text, encoded as UTF-8', 'schlüssel 🔑'],
  ['is not decoded, although it looks like hex', '00ff'],
  ['is not decoded, although it looks like base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['keeps its spaces', ' secret\n'],
  ['may be longer than a block of the hash', 's'.repeat(1000)],
]

/** Values that a broken store may return. */
export const INVALID_ANSWERS: readonly (readonly [kind: string, answer: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 1],
  ['a string', 'OK'],
  ['an object', {}],
  ['an object', new Boolean(true)],
  ['an array', [true]],
]
