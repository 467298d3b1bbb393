import { bytesOf, fromBase64, fromLatin1, hex, latin1 } from '../bytes.js'
import { ALGORITHMS } from '../primitives.js'
import { joinWords } from '../text.js'
import { ENCODINGS } from './encodings.js'
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

/** The encoding that a scheme sends. A form says how it differs from this encoding. */
export type RightEncoding = 'lowercase hex' | 'base64'

/** Returns all possible forms of the digest in the header, the simplest first. */
export function signatureForms(signature: string, mask: Mask, right: RightEncoding = 'lowercase hex'): SignatureForm[] {
  const encoded = readEncoded(signature, mask, right)
  if (encoded.some(isWhole) || !/^[0-9a-f]{24,300}$/.test(signature)) return encoded
  // Some senders print each byte as a hex number: `5` for the byte 0x05. In Java, the byte 0xc5 is negative, and prints as `ffffffc5`.
  const printed = signature.replaceAll('ffffff', '')
  const isSigned = printed !== signature
  const form = `hex ${isSigned ? 'of bytes that were printed as signed numbers (ffffff…)' : 'whose bytes below 0x10 lost their zero'}`
  const matches = (digest: string) => digest.replace(/../g, (byte) => byte.replace(/^0/, '')) === printed
  return [...encoded, { differences: [form], code: 'signature_format', lengths: [32], matches }]
}

const LENGTHS = [...new Set<number>(ALGORITHMS.map(({ length }) => length))]

/** Reads hex or base64, whole or truncated, with or without a prefix or quotes. */
function readEncoded(signature: string, mask: Mask, right: RightEncoding): SignatureForm[] {
  return piecesOf(signature, mask)
    .flatMap((piece) => decode(piece, right))
    .flatMap(({ text, differences, isOfCapture = false }) =>
      readDigits(text).map((form) => ({
        ...form,
        differences: [...differences, ...form.differences],
        isOfCapture: isOfCapture || form.code !== 'signature_format',
      })),
    )
}

/** Returns the ways to read hex digits: as a whole digest, as a part of one, or as a longer text that ends with one. */
function readDigits(digits: string): SignatureForm[] {
  const count = digits.length
  const longer = count < MIN_DIGITS ? [] : CUT_LENGTHS.filter((length) => length * 2 > count)
  const shorter = count === 64 ? [] : CUT_LENGTHS.filter((length) => length * 2 < count)
  const whole = LENGTHS.filter((length) => length * 2 === count)
  const cut = (difference: string, lengths: readonly number[], matches: SignatureForm['matches']): SignatureForm => {
    return { code: 'signature_truncated', differences: [difference], lengths, matches }
  }
  const wrong = (digest: string) => describeWrongDigits(digits, digest)
  const all: SignatureForm[] = [
    { code: 'signature_format', differences: [], lengths: whole, matches: (digest) => digest === digits },
    {
      code: 'signature_format',
      differences: [APPENDED],
      lengths: shorter,
      matches: (digest) => digits.endsWith(digest),
    },
    cut(`only the first ${count} hex digits`, longer, (digest) => digest.startsWith(digits)),
    cut(`only the last ${count} hex digits`, longer, (digest) => digest.endsWith(digits)),
    {
      ...{ code: 'signature_changed', differences: [], lengths: Math.abs(count - 64) > MAX_WRONG_DIGITS ? [] : [32] },
      matches: (digest) => wrong(digest) !== undefined,
      describe: (digest) => String(wrong(digest)),
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
const MISREAD: { readonly [letter: string]: string } = Object.fromEntries(
  ['1lIi|', '0Oo', '5Ss', '2Zz', '9gq'].flatMap(([digit = '', ...letters]) => letters.map((letter) => [letter, digit])),
)

/** Removes white space, and replaces letters that look like digits by these digits. */
export const rereadDigits = (text: string): string =>
  text.replace(/\s+/g, '').replace(/[^0-9a-f]/gi, (letter) => MISREAD[letter] ?? letter)

function piecesOf(signature: string, mask: Mask): Piece[] {
  const pieces: Piece[] = []
  const decoded = percentDecode(signature) ?? signature
  const encoded = decoded === signature ? [] : ['percent-encoded']
  const trimmed = signature.trim()
  if (trimmed !== signature) pieces.push({ text: trimmed, differences: ['white space around it'] })
  // Other encodings than hex and base64 have characters that do not belong to a word. Programs print a name before bytes: `<Buffer c5 b8 …>`.
  const inside = trimmed.replace(/^<Buffer (.*)>$|^[A-Za-z]\w*(?:\(\d+\) |\()([[{].*?)\)?$/s, '$1$2')
  if (/[^A-Za-z0-9+/=_]/.test(inside)) pieces.push({ text: inside, differences: [] })
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
    const others = (`${before} ${after}`.match(LONG_WORD) ?? []).filter(({ length }) => length === text.length).length
    // During a rotation, some senders send the signatures with the old and the new secret.
    const [start = '', rest = ''] =
      others === 0 ? [before, after] : [before.split(/[,; ]/).at(-1), after.split(/[,; ]/)[0]]
    const around = [
      others === 0 ? '' : `one of ${others + 1} signatures in the header`,
      start && `\`${shorten(mask(start))}\` before it`,
      rest && `\`${shorten(mask(rest))}\` after it`,
    ]
    pieces.push({ text, differences: [...encoded, ...around.filter((one) => one !== '')] })
  }
  return pieces
}

/** Matches a word that may be a digest too. */
const LONG_WORD = /[A-Za-z0-9+/_-]{16,}={0,2}/g

/** Returns the text before or after a digest for a message. Long words are left out, because they may be a digest too. */
function shorten(text: string): string {
  const brief = text.replace(LONG_WORD, '…').replace(/[^ -~…]/g, '?')
  return brief.length > 40 ? `${brief.slice(0, 40)}…` : brief
}

/** The maximum number of encodings around a digest, one in the other. */
const MAX_NESTED = 3

/** Decodes a piece from hex, base64 and the other encodings. The texts of the results are lowercase hex. */
function decode({ text: encoded, differences, isOfCapture = false }: Piece, right: RightEncoding): Piece[] {
  const digests: Piece[] = []
  const all: { text: string; names: readonly string[] }[] = [{ text: encoded, names: [] }]
  for (const { text, names } of all) {
    const isHex = /^[0-9a-f]+$/i.test(text)
    const add = (digits: string, around: readonly string[]) => {
      const upper = /[A-F]/.test(digits) ? 'uppercase hex' : 'hex'
      const form = around.length === 0 ? upper : `${around.join(' of ')}${isHex ? ` of the ${upper} text` : ''}`
      const isRight = form === (right === 'base64' ? 'base64' : 'hex')
      const difference = isRight ? [] : [isHex && around.length > 0 ? form : `${form} instead of ${right}`]
      digests.push({ text: digits.toLowerCase(), differences: [...differences, ...difference], isOfCapture })
    }
    if (isHex) add(text, names)
    if (names.length === MAX_NESTED) break
    for (const { kind, name, decode } of ENCODINGS) {
      // Base64 with 32 characters that are all hex digits is very unlikely.
      const isOther = name !== 'hex' && /^(0x)?[0-9a-f]{32,}$/i.test(text)
      if (kind === 'charset' || name === 'base64 with newlines' || isOther) continue
      const bytes = bytesOf(decode?.(latin1(text)) ?? new Uint8Array())
      const inner = fromLatin1(bytes).trimEnd()
      const own = [...names, name === 'base64' ? nameOfBase64(text) : name]
      if (/^[!-~][ -~]{15,}$/.test(inner)) {
        if (inner !== text) all.push({ text: inner, names: own })
      } else if (name === 'base64' ? bytes.length > 0 : name !== 'hex' && LENGTHS.includes(bytes.length))
        add(hex(bytes), own)
    }
  }
  return digests
}

const nameOfBase64 = (text: string) =>
  /[-_]/.test(text) ? 'base64url' : text.length % 4 === 0 ? 'base64' : 'base64 without its padding'

/** Returns the forms that read the whole header as a digest. Base64 counts only if it has the 32 bytes of a SHA-256. */
export function wholeForms(signature: string, mask: Mask, right: RightEncoding = 'lowercase hex'): SignatureForm[] {
  const isOf32Bytes = ({ lengths }: SignatureForm) => lengths.includes(32)
  const hex = /^[0-9a-f]+$/i.test(signature)
  return readEncoded(signature, mask, right).filter((form) => isWhole(form) && (hex || isOf32Bytes(form)))
}
