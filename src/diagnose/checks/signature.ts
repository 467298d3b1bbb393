import { isSignature } from '../../rules/signature-format.js'
import { fromBase64, fromHex, fromLatin1, hex } from '../bytes.js'
import { ALGORITHMS } from '../hypotheses/digest.js'
import { type Draft, quote } from '../text.js'
import { isUuid } from './headers.js'

/** Fewer hex digits would match one of the digests that are tried by chance. */
const MIN_DIGITS = 8

/** The lengths of the digests that are cut, in bytes. */
const CUT_LENGTHS = [32, 20, 64]

/** The length of a digest that is printed byte by byte, in characters. */
const MIN_PRINTED = 24
const MAX_PRINTED = 300

const MAX_PIECES = 12

/** One way to read a digest from X-Signature. */
export interface Reading {
  /** How the header differs from 64 lowercase hex digits; empty if it does not. */
  readonly differences: readonly string[]
  readonly code: 'signature_format' | 'signature_truncated'
  /** How many bytes the whole digest may have. */
  readonly lengths: readonly number[]
  /** Whether the header is of this digest, given as lowercase hex. */
  matches(digest: string): boolean
}

/** Go's `mac.Sum(message)` appends the digest to the message. */
const APPENDED = 'other bytes before the digest, in the same encoding'

/** Checks that a reading uses the whole header, so that nothing is guessed about a cut. */
const isWhole = ({ code, differences }: Reading) => code === 'signature_format' && !differences.includes(APPENDED)

/** All ways to read a digest from the header, the plainest first. */
export function readSignature(signature: string): Reading[] {
  const encoded = readEncoded(signature)
  if (encoded.some(isWhole) || signature.length < MIN_PRINTED || signature.length > MAX_PRINTED) return encoded
  const printed = PRINTED_FORMS.map(([form, print]): Reading => {
    const matches = (digest: string) => print(fromHex(digest) as Uint8Array) === signature
    return { differences: [form], code: 'signature_format', lengths: [32], matches }
  })
  return [...encoded, ...printed]
}

const signedBytes = (digest: Uint8Array) => [...digest].map((byte) => (byte << 24) >> 24)

/** Ways to print a digest that lose or add characters. */
const PRINTED_FORMS: readonly (readonly [form: string, print: (digest: Uint8Array) => string])[] = [
  ['hex without the zero before a single digit', (digest) => [...digest].map((byte) => byte.toString(16)).join('')],
  [
    'hex of bytes that were taken for signed numbers (ffffff…)',
    (digest) =>
      signedBytes(digest)
        .map((byte) => (byte >>> 0).toString(16))
        .join(''),
  ],
  ['decimal numbers, as Go and PHP print bytes', (digest) => `[${digest.join(' ')}]`],
  ['decimal numbers, as Java prints lists', (digest) => `[${signedBytes(digest).join(', ')}]`],
  ['decimal numbers, as Python prints lists', (digest) => `[${digest.join(', ')}]`],
]

/** Hex, base64 or both, whole or cut, and what is around it. */
function readEncoded(signature: string): Reading[] {
  const readings = new Map<string, Reading>()
  for (const { text, differences } of piecesOf(signature)) {
    for (const { digits, encodings } of decode(text)) {
      for (const reading of readDigits(digits)) {
        const key = `${reading.code} ${reading.differences} ${reading.lengths} ${digits}`
        if (readings.has(key)) continue
        readings.set(key, { ...reading, differences: [...differences, ...encodings, ...reading.differences] })
      }
    }
  }
  return [...readings.values()]
}

const LENGTHS = [...new Set(ALGORITHMS.map(({ length }) => length))]

/** Returns what the digits may be: a whole digest, the end of a longer text, or a part of a digest. */
function readDigits(digits: string): Reading[] {
  const whole = LENGTHS.filter((length) => length * 2 === digits.length)
  const longer = CUT_LENGTHS.filter((length) => length * 2 > digits.length)
  const shorter = CUT_LENGTHS.filter((length) => length * 2 < digits.length)
  const isSha256 = digits.length === 64
  const cut = (difference: string, lengths: readonly number[], matches: Reading['matches']): Reading[] =>
    digits.length < MIN_DIGITS ? [] : [{ differences: [difference], code: 'signature_truncated', lengths, matches }]
  const appended = shorter.map((length): Reading => {
    const end = digits.slice(-2 * length)
    return { differences: [APPENDED], code: 'signature_format', lengths: [length], matches: (digest) => digest === end }
  })
  const exact: Reading[] =
    whole.length === 0
      ? []
      : [{ differences: [], code: 'signature_format', lengths: whole, matches: (digest) => digest === digits }]
  if (isSha256) {
    return [
      ...exact,
      ...cut('the first 64 hex digits of a longer digest', [64, 48], (digest) => digest.startsWith(digits)),
    ]
  }
  return [
    ...exact,
    ...appended,
    ...cut(
      'without the zeros at its start, as a number is printed',
      [32],
      (digest) => digest === digits.padStart(64, '0'),
    ),
    ...cut(`the first ${digits.length} hex digits only`, longer, (digest) => digest.startsWith(digits)),
    ...cut(`the last ${digits.length} hex digits only`, longer, (digest) => digest.endsWith(digits)),
  ]
}

interface Piece {
  readonly text: string
  readonly differences: readonly string[]
}

/** The pieces of a header that may be an encoded digest, with what is around them. */
function piecesOf(signature: string): Piece[] {
  const pieces: Piece[] = []
  const decoded = percentDecodeOrKeep(signature)
  const encoded = decoded === signature ? [] : ['percent-encoded']
  const trimmed = signature.trim()
  if (trimmed !== signature) pieces.push({ text: trimmed, differences: ['white space around it'] })
  if (/^([0-9a-f]{2}[\s:-])+[0-9a-f]{2}$/i.test(trimmed)) {
    pieces.push({ text: trimmed.replace(/[\s:-]/g, ''), differences: ['separators between the bytes'] })
  }
  // The longest first: a digest is longer than the name of an algorithm or the ID of a key.
  const words = [...decoded.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g), ...decoded.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
    .map(({ 0: word, index }) => {
      const start = index + (/^0x(?=[0-9a-f]{16})/i.exec(word)?.[0].length ?? 0)
      return { start, end: index + word.length }
    })
    .sort((one, other) => other.end - other.start - (one.end - one.start))
  for (const { start, end } of words.slice(0, MAX_PIECES)) {
    const [before, after] = [decoded.slice(0, start), decoded.slice(end)]
    const around = [before && `\`${shorten(before)}\` before it`, after && `\`${shorten(after)}\` after it`]
    pieces.push({ text: decoded.slice(start, end), differences: [...encoded, ...around.filter((one) => one !== '')] })
  }
  return pieces
}

/** The text around a digest, without anything that may be a digest itself. */
function shorten(text: string): string {
  const brief = text.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, '…').replace(/[^ -~…]/g, '?')
  return brief.length > 40 ? `${brief.slice(0, 40)}…` : brief
}

function percentDecodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The bytes that a text may encode, as lowercase hex digits. */
function decode(text: string): { digits: string; encodings: string[] }[] {
  const decoded: { digits: string; encodings: string[] }[] = []
  if (/^[0-9a-f]+$/i.test(text)) {
    const digits = text.toLowerCase()
    decoded.push({ digits, encodings: digits === text ? [] : ['uppercase hex instead of lowercase'] })
    const inner = decodeInner(fromHex(digits))
    if (inner !== undefined) decoded.push({ digits: inner.digits, encodings: [`hex of the ${inner.encoding} text`] })
  }
  // Base64 is very unlikely to have so many hex digits in a row.
  const bytes = /^(0x)?[0-9a-f]{32,}$/i.test(text) ? undefined : fromBase64(text)
  if (bytes === undefined) return decoded
  const isPadded = text.length % 4 === 0
  const encoding = /[-_]/.test(text) ? 'base64url' : isPadded ? 'base64' : 'base64 without its padding'
  decoded.push({ digits: hex(bytes), encodings: [`${encoding} instead of lowercase hex`] })
  const inner = decodeInner(bytes)
  if (inner !== undefined)
    decoded.push({ digits: inner.digits, encodings: [`${encoding} of the ${inner.encoding} text`] })
  return decoded
}

/** Decodes a digest that was encoded twice. */
function decodeInner(bytes: Uint8Array | undefined): { digits: string; encoding: string } | undefined {
  const text = bytes === undefined ? '' : fromLatin1(bytes).trimEnd()
  if (/^[0-9a-f]{16,}$/i.test(text))
    return { digits: text.toLowerCase(), encoding: /[A-F]/.test(text) ? 'uppercase hex' : 'hex' }
  const inner = fromBase64(text)
  return inner && { digits: hex(inner), encoding: 'base64' }
}

/** Reports the format of a signature that no way of signing explains. */
export function checkSignatureFormat(signature: string): Draft[] {
  if (isSignature(signature)) return []
  const evidence = [['X-Signature', quote(signature)] as const]
  return [
    {
      code: 'signature_format',
      kind: 'signatureForm',
      params: { form: describeForm(signature) },
      fix: 'send_hex',
      evidence,
    },
  ]
}

/** Checks for a header without a signature, such as `undefined`. */
export function isUnset(signature: string): boolean {
  return /^(|undefined|null|none|nil|nan|false|\[object \w+\])$/i.test(signature)
}

function describeForm(signature: string): string {
  if (signature === '') return 'it is empty'
  if (isUnset(signature)) return `it is the text \`${signature}\``
  if (isUuid(signature)) return 'it is a UUID'
  if (/[^\t -~]/.test(signature)) return 'it has characters other than ASCII, as the bytes of a digest do'
  const found = readEncoded(signature).find(isWhole)?.differences.join(', ')
  if (found) return `it is ${found}`
  return `it has ${signature.length} ${/^[0-9a-f]+$/.test(signature) ? 'hex digits' : 'characters'}`
}
