import { Buffer } from 'node:buffer'
import { isSignature } from '../rules/signature.js'
import { DIGEST_SIZES } from './digest.js'
import type { Finding } from './finding.js'
import { quoted, UUID } from './headers.js'

export const HEX_FIX =
  "On the sender's side: send 64 lowercase hex digits and nothing else: Node: .digest('hex'), Python: .hexdigest(), Go: hex.EncodeToString(mac.Sum(nil)), Ruby: OpenSSL::HMAC.hexdigest('SHA256', secret, message), PHP: hash_hmac('sha256', $message, $secret), Java: HexFormat.of().formatHex(mac.doFinal(message)), C#: Convert.ToHexString(hash).ToLowerInvariant(), shell: openssl dgst -r … | cut -d ' ' -f 1"

/** The fewest hex digits that a digest is recognised by: among 20 000 digests, chance finds one in 200 000. */
const FEWEST_DIGITS = 8

/** The fewest hex digits of a SHA-256 as a number: chance makes eight zeros at its start once in four billion. */
const FEWEST_OF_NUMBER = 56

/** The sizes of digests that are cut, in bytes. */
const CUT_SIZES = [32, 20, 64]

/** The fewest and the most characters that the bytes of a digest take, however they are printed. */
const FEWEST_PRINTED = 24
const MOST_PRINTED = 300

/** What is looked at of a header, in characters. */
const MOST_CHARACTERS = 2048

/** The most readings of one header. */
const MOST_READINGS = 32

/** One way to read a digest out of the header. */
export interface Reading {
  /** What is unlike 64 lowercase hex digits; empty for those. */
  readonly differences: readonly string[]
  readonly code: 'signature_format' | 'signature_truncated'
  /** The sizes in bytes that the whole digest may have. */
  readonly sizes: readonly number[]
  /** Whether this is the header of such a digest, given as lowercase hex. */
  matches(digest: string): boolean
}

interface Candidate {
  readonly text: string
  readonly differences: readonly string[]
}

/** What Go's hash functions do with the argument of Sum: they append the digest to it. */
const APPENDED = 'other bytes before the digest, in the same encoding'

/** Whether the header is as long as a whole digest: that is seen without knowing which. */
const holdsDigest = ({ code, differences }: Reading) => code === 'signature_format' && !differences.includes(APPENDED)

/** Everything in a header that can be a digest, in one encoding or another, the plainest first. */
export function readingsOf(signature: string): Reading[] {
  const encoded = encodedReadings(signature)
  const isWhole = encoded.some(holdsDigest)
  // The digits of a negative number are as many as those of a digest.
  const mayBePrinted = !isWhole || signature.startsWith('-')
  if (!mayBePrinted || signature.length < FEWEST_PRINTED || signature.length > MOST_PRINTED) return encoded
  const lowercase = signature.toLowerCase()
  const printed = PRINTED.map(([what, print]): Reading => {
    return {
      differences: [what],
      code: 'signature_format',
      sizes: [32],
      matches: (digest) => print(digest) === lowercase,
    }
  })
  return [...encoded, ...printed]
}

/** What a header says by itself: hex, base64 or both, whole or cut, and what stands around. */
function encodedReadings(signature: string): Reading[] {
  const readings = new Map<string, Reading>()
  const add = (name: string, reading: Reading) => {
    if (!readings.has(name) && readings.size < MOST_READINGS) readings.set(name, reading)
  }
  const candidates = candidatesIn(signature.slice(0, MOST_CHARACTERS))
  // The end of what is too long, cut between two groups of four, so that base64 can be read from there.
  const excess = 4 * Math.ceil(Math.max(0, signature.length - MOST_CHARACTERS) / 4)
  if (excess > 0) candidates.unshift({ text: signature.slice(excess), differences: [] })
  for (const { text, differences } of candidates) {
    for (const [hex, more] of digestsIn(text)) {
      const sizes = DIGEST_SIZES.filter((size) => size * 2 === hex.length)
      if (sizes.length > 0) {
        add(hex, {
          differences: [...differences, ...more],
          code: 'signature_format',
          sizes,
          matches: (digest) => digest === hex,
        })
      }
      if (sizes[0] === 32) {
        add(`${hex}…`, {
          differences: [...differences, ...more, 'the first 64 hex digits of a longer digest'],
          code: 'signature_truncated',
          sizes: [64, 48],
          matches: (digest) => digest.startsWith(hex),
        })
      }
      for (const size of hex.length > 64 ? CUT_SIZES.filter((one) => one * 2 < hex.length) : []) {
        const end = hex.slice(-2 * size)
        add(`+${end}`, {
          differences: [...differences, ...more, APPENDED],
          code: 'signature_format',
          sizes: [size],
          matches: (digest) => digest === end,
        })
      }
      if (sizes[0] === 32 || hex.length < FEWEST_DIGITS) continue
      if (hex.length >= FEWEST_OF_NUMBER && hex.length < 64) {
        add(`0${hex}`, {
          differences: [...differences, ...more, 'without the zeros at its start, as a number is printed'],
          code: 'signature_truncated',
          sizes: [32],
          matches: (digest) => digest === hex.padStart(64, '0'),
        })
      }
      add(`${hex}…`, {
        differences: [...differences, ...more, `the first ${hex.length} hex digits only`],
        code: 'signature_truncated',
        sizes: CUT_SIZES.filter((size) => size * 2 > hex.length),
        matches: (digest) => digest.startsWith(hex),
      })
      add(`…${hex}`, {
        differences: [...differences, ...more, `the last ${hex.length} hex digits only`],
        code: 'signature_truncated',
        sizes: CUT_SIZES.filter((size) => size * 2 > hex.length),
        matches: (digest) => digest.endsWith(hex),
      })
    }
  }
  return [...readings.values()]
}

/** What is wrong with the format of a signature that could not be read as any digest that fits. */
export function signatureFormat(signature: string): Finding | undefined {
  if (isSignature(signature)) return undefined
  return {
    code: 'signature_format',
    message: `X-Signature is not 64 lowercase hex digits: ${formOf(signature)}.`,
    fix: HEX_FIX,
    evidence: `X-Signature: ${quoted(signature)}`,
  }
}

/** Whether no signature was made at all: there is nothing to compare. */
export function isUnset(signature: string): boolean {
  return /^(|undefined|null|none|nil|nan|false|\[object \w+\])$/i.test(signature)
}

/** What a signature is in the place of hex, for all that can be seen. */
function formOf(signature: string): string {
  if (isUnset(signature)) return signature === '' ? 'it is empty' : `it is the text \`${signature}\``
  if (UUID.test(signature)) return 'it is a UUID'
  if (/[^\t -~]/.test(signature)) return 'it has characters other than ASCII, as the bytes of a digest do'
  const found = encodedReadings(signature).find(holdsDigest)?.differences.join(', ')
  if (found) return `it is ${found}`
  return `it has ${signature.length} ${/^[0-9a-f]+$/.test(signature) ? 'hex digits' : 'characters'}`
}

const bytesOf = (digest: string) => [...Buffer.from(digest, 'hex')]

/** A digest as a number whose first bit is the sign. */
const signedNumber = (digest: string) => BigInt.asIntN(256, BigInt(`0x${digest}`))

/** Ways to print bytes that lose or add something, as lowercase text. */
const PRINTED: readonly (readonly [what: string, print: (digest: string) => string])[] = [
  [
    'hex without the zero before a single digit',
    (digest) =>
      bytesOf(digest)
        .map((byte) => byte.toString(16))
        .join(''),
  ],
  ['one decimal number', (digest) => String(BigInt(`0x${digest}`))],
  ["hex of a negative number, as Java's BigInteger prints it", (digest) => signedNumber(digest).toString(16)],
  ["a negative decimal number, as Java's BigInteger prints it", (digest) => String(signedNumber(digest))],
  [
    'hex of bytes that were taken for signed numbers (ffffff…)',
    (digest) =>
      bytesOf(digest)
        .map((byte) => (byte < 0x80 ? byte.toString(16) : `ffffff${byte.toString(16)}`))
        .join(''),
  ],
  [
    'hex of two digits of bytes that were taken for signed numbers (ffffff…)',
    (digest) =>
      bytesOf(digest)
        .map((byte) => (byte < 0x80 ? '' : 'ffffff') + byte.toString(16).padStart(2, '0'))
        .join(''),
  ],
  ['decimal numbers, with commas', (digest) => bytesOf(digest).join(',')],
  ['decimal numbers, as Go and PHP print bytes', (digest) => `[${bytesOf(digest).join(' ')}]`],
  [
    'decimal numbers, as Java and Python print lists',
    (digest) =>
      `[${bytesOf(digest)
        .map((byte) => (byte << 24) >> 24)
        .join(', ')}]`,
  ],
  ['decimal numbers, as Python prints lists', (digest) => `[${bytesOf(digest).join(', ')}]`],
  ['its bytes as they are, not as hex', (digest) => Buffer.from(digest, 'hex').toString('latin1').toLowerCase()],
  [
    'its bytes decoded as UTF-8, which loses most of them',
    (digest) => Buffer.from(digest, 'hex').toString('utf8').toLowerCase(),
  ],
]

/** The pieces of a header that may be an encoded digest, with what stands around them. */
function candidatesIn(header: string): Candidate[] {
  const candidates: Candidate[] = [{ text: header, differences: [] }]
  const decoded = percentDecoded(header)
  const encoded = decoded === header ? [] : ['percent-encoded']
  candidates.push({ text: decoded, differences: encoded })
  const trimmed = header.trim()
  if (trimmed !== header) candidates.push({ text: trimmed, differences: ['white space around it'] })
  const joined = trimmed.replace(/[\s:-]/g, '')
  if (/^([0-9a-f]{2}[\s:-])+[0-9a-f]{2}$/i.test(trimmed)) {
    candidates.push({ text: joined, differences: ['separators between the bytes'] })
  }
  // The longest first: a digest is longer than the name of an algorithm or the identifier of a key.
  const pieces = [...decoded.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g), ...decoded.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
    .map(({ 0: piece, index }) => {
      const prefix = /^0x(?=[0-9a-f]{16})/i.exec(piece)?.[0] ?? ''
      const [begins, ends] = [index + prefix.length, index + piece.length]
      return { text: decoded.slice(begins, ends), before: decoded.slice(0, begins), after: decoded.slice(ends) }
    })
    .sort((one, other) => other.text.length - one.text.length)
  for (const { text, before, after } of pieces.slice(0, 12)) {
    const differences = [
      ...encoded,
      ...(before === '' ? [] : [`\`${shortened(before)}\` before it`]),
      ...(after === '' ? [] : [`\`${shortened(after)}\` after it`]),
    ]
    candidates.push({ text, differences })
  }
  return candidates
}

/** What stands around a digest, without what is as long as one: it may be one. */
function shortened(text: string): string {
  const brief = text.replace(/[A-Za-z0-9+/_-]{16,}={0,2}/g, '…').replace(/[^ -~…]/g, '?')
  return brief.length > 40 ? `${brief.slice(0, 40)}…` : brief
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The bytes for which a text may stand, in lowercase hex, with what is unlike lowercase hex. */
function digestsIn(text: string): [hex: string, differences: string[]][] {
  const digests: [string, string[]][] = []
  if (/^[0-9a-f]+$/i.test(text)) {
    const hex = text.toLowerCase()
    digests.push([hex, hex === text ? [] : ['uppercase hex instead of lowercase']])
    const inside = Buffer.from(hex, 'hex').toString('latin1')
    for (const [inner, name] of hex.length % 2 === 0 ? encodedIn(inside) : []) {
      digests.push([inner, [`hex of the ${name} text`]])
    }
  }
  // So many hex digits in a row are not base64 by chance.
  if (!/^(-|0x)?[0-9a-f]{32,}$/i.test(text) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    const isPadded = text.endsWith('=') || text.length % 4 === 0
    const name = /[-_]/.test(text) ? 'base64url' : isPadded ? 'base64' : 'base64 without its padding'
    digests.push([bytes.toString('hex'), [`${name} instead of lowercase hex`]])
    for (const [inner, of] of encodedIn(bytes.toString('latin1'))) {
      digests.push([inner, [`${name} of the ${of} text`]])
    }
  }
  return digests
}

/** The digest inside of what was encoded twice, and the name of the inner encoding. */
function encodedIn(text: string): [hex: string, name: string][] {
  const trimmed = text.trimEnd()
  if (/^[0-9a-f]{16,}$/i.test(trimmed))
    return [[trimmed.toLowerCase(), /[A-F]/.test(trimmed) ? 'uppercase hex' : 'hex']]
  if (/^[A-Za-z0-9+/_-]{22,}={0,2}$/.test(trimmed)) {
    return [[Buffer.from(trimmed, 'base64').toString('hex'), 'base64']]
  }
  return []
}
