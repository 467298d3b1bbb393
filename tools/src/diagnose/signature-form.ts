import { fromBase64, fromHex, fromLatin1, hex } from '../bytes.js'
import { ALGORITHMS } from '../primitives.js'
import { joinWords } from '../text.js'
import { percentDecode } from './hypotheses/body-formats.js'
import type { Mask } from './mask-secrets.js'

/** The minimum number of hex digits in a part of a digest. A shorter part could match by chance. */
const MIN_DIGITS = 8

/** The lengths, in bytes, of digests that may have been cut, or may follow other bytes. */
const CUT_LENGTHS = [32, 20, 64]

/** The maximum number of words of a header that are read as a digest. */
const MAX_PIECES = 12

/** One way to read X-Signature as a digest: as base64, for example, or as the first half of the digest. */
export interface SignatureForm {
  /** How the header differs from 64 lowercase hex digits. Empty if there is no difference. */
  readonly differences: readonly string[]
  readonly code: 'signature_format' | 'signature_truncated' | 'signature_changed'
  /** The possible lengths of the whole digest, in bytes. */
  readonly lengths: readonly number[]
  /** Whether a log, a mail or a picture may have changed the header, and not the sender. */
  readonly isOfCapture?: boolean
  /** Returns whether the header, read in this way, is this digest. `digest` is in lowercase hex. */
  matches(digest: string): boolean
  /** Returns how the header differs from this digest, for example which digit is wrong. */
  describe?(digest: string): string
}

/** Go's `mac.Sum(message)` appends the digest to the message. */
const APPENDED = 'other bytes before the digest, in the same encoding'

/** Returns whether a form reads the whole header as a digest. If only a part of the header is a digest, the form is a guess. */
const isWhole = ({ code, differences }: SignatureForm) => code === 'signature_format' && !differences.includes(APPENDED)

/** Returns all possible forms of the digest in the header, the simplest first. */
export function signatureForms(signature: string, mask: Mask): SignatureForm[] {
  const encoded = [...readEncoded(signature, mask), ...readSignedNumber(signature)]
  if (encoded.some(isWhole) || !/^[0-9a-f]{24,300}$/.test(signature)) return encoded
  // Some senders print each byte as a hex number: `5` for the byte 0x05. In Java, the byte 0xc5 is negative, and prints as `ffffffc5`.
  const printed = signature.replaceAll('ffffff', '')
  const form =
    printed === signature
      ? 'hex without the zero before a single digit'
      : 'hex of bytes that were printed as signed numbers (ffffff…)'
  const matches = (digest: string) => digest.replace(/../g, (byte) => byte.replace(/^0/, '')) === printed
  return [...encoded, { differences: [form], code: 'signature_format', lengths: [32], matches }]
}

/** Reads a digest as Java's `new BigInteger(digest).toString(16)` prints it. Java prints a negative number if the first bit is 1. */
function readSignedNumber(signature: string): SignatureForm[] {
  if (!/^-[0-9a-f]{32,64}$/.test(signature)) return []
  const digits = ((1n << 256n) - BigInt(`0x${signature.slice(1)}`)).toString(16)
  const form = "the hex of a number with a minus sign, as Java's BigInteger prints it"
  return [{ differences: [form], code: 'signature_format', lengths: [32], matches: (digest) => digest === digits }]
}

/** Reads hex or base64, whole or truncated, with or without a prefix or quotes. */
function readEncoded(signature: string, mask: Mask): SignatureForm[] {
  return piecesOf(signature, mask)
    .flatMap(decode)
    .flatMap(({ text, differences, isOfCapture = false }) =>
      readDigits(text).map((form) => ({
        ...form,
        differences: [...differences, ...form.differences],
        isOfCapture: isOfCapture || form.code !== 'signature_format',
      })),
    )
}

const LENGTHS = [...new Set(ALGORITHMS.map(({ length }) => length))]

/** Returns the ways to read hex digits: as a whole digest, as a part of one, or as a longer text that ends with one. */
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
      'without the zeros at the start, as a number is printed',
      number,
      (digest) => digest === digits.padStart(64, '0'),
    ),
    cut(`the first ${count} hex digits only`, longer, (digest) => digest.startsWith(digits)),
    cut(`the last ${count} hex digits only`, longer, (digest) => digest.endsWith(digits)),
    {
      code: 'signature_changed',
      differences: [],
      lengths: Math.abs(count - 64) > MAX_WRONG_DIGITS ? [] : [32],
      matches: (digest) => describeWrongDigits(digits, digest) !== undefined,
      describe: (digest) => String(describeWrongDigits(digits, digest)),
    },
  ]
  return all.filter(({ lengths }) => lengths.length > 0)
}

/** The maximum number of wrong digits. With more wrong digits, the other digits may be right by chance. */
const MAX_WRONG_DIGITS = 3

/** Returns which digits are wrong, missing or added, or `undefined` if there are more than three such digits. */
function describeWrongDigits(digits: string, digest: string): string | undefined {
  if (digits.length === digest.length) {
    const wrong: string[] = []
    for (let index = 0; index < digits.length; index++) {
      if (digits[index] === digest[index]) continue
      if (wrong.push(`digit ${index + 1} (\`${digits[index]}\`)`) > MAX_WRONG_DIGITS) return undefined
    }
    return `${joinWords(wrong, 'and')} ${wrong.length === 1 ? 'is' : 'are'} wrong`
  }
  const [short, long] = digits.length < digest.length ? [digits, digest] : [digest, digits]
  let same = 0
  while (same < short.length && short[same] === long[same]) same++
  const count = long.length - short.length
  if (short.slice(same) !== long.slice(same + count)) return undefined
  const what = count === 1 ? 'one digit' : `${count} digits`
  return `${what} too ${short === digits ? 'few' : 'many'}, after the first ${same}`
}

/** A part of a header that may be an encoded digest, and how the header differs from this part. */
interface Piece {
  readonly text: string
  readonly differences: readonly string[]
  readonly isOfCapture?: boolean
}

/** Letters that look like digits in a picture or in handwriting. */
const MISREAD: { readonly [letter: string]: string } = {
  l: '1',
  I: '1',
  i: '1',
  '|': '1',
  O: '0',
  o: '0',
  S: '5',
  s: '5',
  Z: '2',
  z: '2',
  g: '9',
  q: '9',
}

/** Removes white space, and replaces letters that look like digits by these digits. */
export const rereadDigits = (text: string): string =>
  text.replace(/\s+/g, '').replace(/[^0-9a-f]/gi, (letter) => MISREAD[letter] ?? letter)

/** How programs print bytes: `197, 184, …`, `[197,184,…]`, `-59 -72 …`, `c5:b8:…`, `<Buffer c5 b8 …>` or `c5b8636d-680beec4-…`. */
const PRINTED: readonly { readonly pattern: RegExp; readonly what: string; readonly read: (text: string) => string }[] =
  [
    {
      pattern: /-?\d{1,3}(?:(?:, ?| )-?\d{1,3}){31}/,
      what: 'a list of decimal numbers instead of hex',
      read: (text) => hex(Uint8Array.from(text.split(/, ?| /), Number)),
    },
    {
      pattern: /(?:0x)?[0-9a-f]{2}(?:(?:, ?|[\s:-])(?:0x)?[0-9a-f]{2}){31}/i,
      what: 'separators between the bytes',
      read: (text) => text.replace(/0x|[^0-9a-f]/gi, ''),
    },
    {
      pattern: /[0-9a-f]{4,60}(?:[:-][0-9a-f]{4,60})+/i,
      what: 'separators between the digits',
      read: (text) => text.replace(/[:-]/g, ''),
    },
  ]

/** Returns the parts of a header that may be an encoded digest. */
function piecesOf(signature: string, mask: Mask): Piece[] {
  const pieces: Piece[] = []
  const decoded = percentDecode(signature) ?? signature
  const encoded = decoded === signature ? [] : ['percent-encoded']
  const trimmed = signature.trim()
  if (trimmed !== signature) pieces.push({ text: trimmed, differences: ['white space around it'] })
  // `JSON.stringify` writes a Uint8Array as `{"0":197,"1":184,…}`.
  const numbers = decoded.replace(/"\d{1,2}":/g, '')
  for (const { pattern, what, read } of PRINTED) {
    const [printed] = pattern.exec(numbers) ?? []
    const text = printed === undefined ? '' : read(printed)
    if (text.length === 64) pieces.push({ text, differences: [what] })
  }
  const joined = trimmed.replace(/\s+/g, '')
  if (joined !== trimmed && (/^[0-9a-f]{40,}$/i.test(joined) || fromBase64(joined)?.length === 32)) {
    pieces.push({ text: joined, differences: ['white space inside it'], isOfCapture: true })
    const padded = trimmed.padStart(64).replaceAll(' ', '0')
    if (padded.length === 64)
      pieces.push({ text: padded, differences: ['spaces instead of leading zeros in the hex bytes, as `%2x` prints'] })
  }
  const misread = [...new Set(joined)].filter((letter) => letter in MISREAD)
  const reread = rereadDigits(joined)
  if (misread.length > 0 && /^[0-9a-f]{64}$/i.test(reread)) {
    const letters = misread.map((letter) => `\`${letter}\` for \`${MISREAD[letter]}\``)
    pieces.push({ text: reread, differences: [joinWords(letters, 'and')], isOfCapture: true })
  }
  // The longest word is the likeliest digest. Shorter words are names of algorithms or IDs of keys.
  const words = [...decoded.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g), ...decoded.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
  words.sort((one, other) => other[0].length - one[0].length)
  for (const { 0: word, index } of words.slice(0, MAX_PIECES)) {
    const text = word.replace(/^0x(?=[0-9a-f]{16})/i, '')
    if (pieces.some((piece) => piece.text === text)) continue
    const end = index + word.length
    const [before, after] = [decoded.slice(0, end - text.length), decoded.slice(end)]
    const around = [before && `\`${shorten(mask(before))}\` before it`, after && `\`${shorten(mask(after))}\` after it`]
    pieces.push({ text, differences: [...encoded, ...around.filter((one) => one !== '')] })
  }
  return pieces
}

/** Returns the text before or after a digest for a message. Long words are left out, because they may be a digest too. */
function shorten(text: string): string {
  const brief = text.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, '…').replace(/[^ -~…]/g, '?')
  return brief.length > 40 ? `${brief.slice(0, 40)}…` : brief
}

/** Decodes a piece from hex and from base64. The texts of the results are lowercase hex. */
function decode({ text, differences, isOfCapture = false }: Piece): Piece[] {
  const decoded: Piece[] = []
  const add = (encoding: string, digits: string) =>
    decoded.push({ text: digits, differences: encoding === '' ? differences : [...differences, encoding], isOfCapture })
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
  // Base64 with 32 characters that are all hex digits is very unlikely.
  const bytes = /^(0x)?[0-9a-f]{32,}$/i.test(text) ? undefined : fromBase64(text)
  if (bytes !== undefined) {
    const isPadded = text.length % 4 === 0
    const encoding = /[-_]/.test(text) ? 'base64url' : isPadded ? 'base64' : 'base64 without its padding'
    add(`${encoding} instead of lowercase hex`, hex(bytes))
    addInner(encoding, bytes)
  }
  return decoded
}

/** Returns the forms that read the whole header as a digest. Base64 counts only if it has the 32 bytes of a SHA-256. */
function plainForms(signature: string, mask: Mask): SignatureForm[] {
  const isOf32Bytes = ({ lengths }: SignatureForm) => lengths.includes(32)
  const hex = /^[0-9a-f]+$/i.test(signature)
  return readEncoded(signature, mask).filter((form) => isWhole(form) && (hex || isOf32Bytes(form)))
}

/** Returns whether the header is a digest in some form. */
export const isDigest = (signature: string): boolean => plainForms(signature, String).length > 0

/** Returns how a digest differs from 64 lowercase hex digits, or an empty string if the header is not a digest. */
export const describeForm = (signature: string, mask: Mask): string =>
  plainForms(signature, mask)[0]?.differences.join(', ') ?? ''
