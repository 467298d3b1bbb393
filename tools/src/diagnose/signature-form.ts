import { fromBase64, fromHex, fromLatin1, hex } from '../bytes.js'
import { ALGORITHMS } from '../primitives.js'
import { percentDecode } from './hypotheses/body-formats.js'

/** With fewer hex digits, one of the digests that are tried would match by chance. */
const MIN_DIGITS = 8

/** The lengths of the digests that may have been cut, in bytes. */
const CUT_LENGTHS = [32, 20, 64]

const MAX_PIECES = 12

/** One form in which X-Signature may hold a digest. */
export interface SignatureForm {
  /** How the header differs from 64 lowercase hex digits; empty if it does not. */
  readonly differences: readonly string[]
  readonly code: 'signature_format' | 'signature_truncated'
  /** How many bytes the whole digest may have. */
  readonly lengths: readonly number[]
  /** Returns whether the header encodes this digest, which is in lowercase hex. */
  matches(digest: string): boolean
}

/** Go's `mac.Sum(message)` appends the digest to the message. */
const APPENDED = 'other bytes before the digest, in the same encoding'

/** Returns whether a form covers the whole header. A digest in a part of the header would be a guess. */
const isWhole = ({ code, differences }: SignatureForm) => code === 'signature_format' && !differences.includes(APPENDED)

/** Returns all forms in which the header may hold a digest, the plainest first. */
export function signatureForms(signature: string): SignatureForm[] {
  const encoded = [...readEncoded(signature), ...readSignedNumber(signature)]
  if (encoded.some(isWhole) || !/^[0-9a-f]{24,300}$/.test(signature)) return encoded
  // Some senders print each byte as a number. In Java, bytes are signed, so negative bytes begin with `ffffff`.
  const printed = signature.replaceAll('ffffff', '')
  const form =
    printed === signature
      ? 'hex without the zero before a single digit'
      : 'hex of bytes that were taken for signed numbers (ffffff…)'
  const matches = (digest: string) => digest.replace(/../g, (byte) => byte.replace(/^0/, '')) === printed
  return [...encoded, { differences: [form], code: 'signature_format', lengths: [32], matches }]
}

/** Returns the form that Java's `new BigInteger(digest).toString(16)` writes, which reads the digest as a signed number. */
function readSignedNumber(signature: string): SignatureForm[] {
  if (!/^-[0-9a-f]{32,64}$/.test(signature)) return []
  const digits = ((1n << 256n) - BigInt(`0x${signature.slice(1)}`)).toString(16)
  const form = "the hex of a number with a minus sign, as Java's BigInteger prints it"
  return [{ differences: [form], code: 'signature_format', lengths: [32], matches: (digest) => digest === digits }]
}

/** Returns the forms of hex or base64, whole or truncated, with or without a prefix or quotes. */
function readEncoded(signature: string): SignatureForm[] {
  return piecesOf(signature)
    .flatMap(decode)
    .flatMap(({ text, differences }) =>
      readDigits(text).map((form) => ({ ...form, differences: [...differences, ...form.differences] })),
    )
}

const LENGTHS = [...new Set(ALGORITHMS.map(({ length }) => length))]

/** Returns what the digits may be: a whole digest, the end of a longer text, or a part of a digest. */
function readDigits(digits: string): SignatureForm[] {
  const count = digits.length
  const longer = count < MIN_DIGITS ? [] : CUT_LENGTHS.filter((length) => length * 2 > count)
  const number = longer.filter((length) => length === 32)
  const shorter = count === 64 ? [] : CUT_LENGTHS.filter((length) => length * 2 < count)
  const whole = LENGTHS.filter((length) => length * 2 === count)
  const cut = (difference: string, lengths: readonly number[], matches: SignatureForm['matches']): SignatureForm => ({
    code: 'signature_truncated',
    differences: [difference],
    lengths,
    matches,
  })
  const all: SignatureForm[] = [
    { code: 'signature_format', differences: [], lengths: whole, matches: (digest) => digest === digits },
    {
      code: 'signature_format',
      differences: [APPENDED],
      lengths: shorter,
      matches: (digest) => digits.endsWith(digest),
    },
    cut(
      'without the zeros at its start, as a number is printed',
      number,
      (digest) => digest === digits.padStart(64, '0'),
    ),
    cut(`the first ${count} hex digits only`, longer, (digest) => digest.startsWith(digits)),
    cut(`the last ${count} hex digits only`, longer, (digest) => digest.endsWith(digits)),
  ]
  return all.filter(({ lengths }) => lengths.length > 0)
}

/** A text that may be an encoded digest, and how it differs from the header. */
interface Piece {
  readonly text: string
  readonly differences: readonly string[]
}

/** Returns the pieces of a header that may be an encoded digest, with the text around them. */
function piecesOf(signature: string): Piece[] {
  const pieces: Piece[] = []
  const decoded = percentDecode(signature) ?? signature
  const encoded = decoded === signature ? [] : ['percent-encoded']
  const trimmed = signature.trim()
  if (trimmed !== signature) pieces.push({ text: trimmed, differences: ['white space around it'] })
  if (/^([0-9a-f]{2}[\s:-])+[0-9a-f]{2}$/i.test(trimmed)) {
    pieces.push({ text: trimmed.replace(/[\s:-]/g, ''), differences: ['separators between the bytes'] })
  }
  if (/^\[-?\d{1,3}(,? -?\d{1,3})+\]$/.test(trimmed)) {
    const bytes = Uint8Array.from(trimmed.slice(1, -1).split(/,? /), Number)
    pieces.push({ text: hex(bytes), differences: ['a list of decimal numbers instead of hex'] })
  }
  // The longest word comes first, because a digest is longer than the name of an algorithm or the ID of a key.
  const words = [...decoded.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g), ...decoded.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
  words.sort((one, other) => other[0].length - one[0].length)
  for (const { 0: word, index } of words.slice(0, MAX_PIECES)) {
    const text = word.replace(/^0x(?=[0-9a-f]{16})/i, '')
    if (pieces.some((piece) => piece.text === text)) continue
    const end = index + word.length
    const [before, after] = [decoded.slice(0, end - text.length), decoded.slice(end)]
    const around = [before && `\`${shorten(before)}\` before it`, after && `\`${shorten(after)}\` after it`]
    pieces.push({ text, differences: [...encoded, ...around.filter((one) => one !== '')] })
  }
  return pieces
}

/** Returns the text around a digest, without anything that may be a digest itself. */
function shorten(text: string): string {
  const brief = text.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, '…').replace(/[^ -~…]/g, '?')
  return brief.length > 40 ? `${brief.slice(0, 40)}…` : brief
}

/** Returns the digits that a piece may encode, as lowercase hex. */
function decode({ text, differences }: Piece): Piece[] {
  const decoded: Piece[] = []
  const add = (encoding: string, digits: string) =>
    decoded.push({ text: digits, differences: encoding === '' ? differences : [...differences, encoding] })
  const addInner = (encoding: string, bytes: Uint8Array | undefined) => {
    const inner = bytes === undefined ? '' : fromLatin1(bytes).trimEnd()
    if (/^[0-9a-f]{16,}$/i.test(inner)) {
      add(`${encoding} of the ${/[A-F]/.test(inner) ? 'uppercase hex' : 'hex'} text`, inner.toLowerCase())
    } else {
      const digest = fromBase64(inner)
      if (digest !== undefined) add(`${encoding} of the base64 text`, hex(digest))
    }
  }
  if (/^[0-9a-f]+$/i.test(text)) {
    add(/[A-F]/.test(text) ? 'uppercase hex instead of lowercase' : '', text.toLowerCase())
    addInner('hex', fromHex(text))
  }
  // Base64 is very unlikely to have so many hex digits in a row.
  const bytes = /^(0x)?[0-9a-f]{32,}$/i.test(text) ? undefined : fromBase64(text)
  if (bytes !== undefined) {
    const isPadded = text.length % 4 === 0
    const encoding = /[-_]/.test(text) ? 'base64url' : isPadded ? 'base64' : 'base64 without its padding'
    add(`${encoding} instead of lowercase hex`, hex(bytes))
    addInner(encoding, bytes)
  }
  return decoded
}

/** Returns whether the header may be a whole digest in some form. Other text was not made with the secret and the message. */
export function isDigest(signature: string): boolean {
  return readEncoded(signature).some(isWhole)
}

/** Returns how a whole digest differs from 64 lowercase hex digits. Returns an empty text if the header is other text. */
export function describeForm(signature: string): string {
  return readEncoded(signature).find(isWhole)?.differences.join(', ') ?? ''
}
