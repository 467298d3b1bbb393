import { Buffer } from 'node:buffer'
import { isDigest } from '../signature.js'
import { DIGEST_SIZES } from './digest.js'
import type { Finding } from './finding.js'
import { quoted } from './headers.js'

export const HEX_FIX =
  "On the sender's side: send 64 lowercase hex digits and nothing else: Node: .digest('hex'), Python: .hexdigest(), Go: hex.EncodeToString(mac.Sum(nil)), Ruby: OpenSSL::HMAC.hexdigest('SHA256', secret, message), PHP: hash_hmac('sha256', $message, $secret), Java: HexFormat.of().formatHex(mac.doFinal(message)), C#: Convert.ToHexString(hash).ToLowerInvariant(), shell: openssl dgst -r … | cut -d ' ' -f 1"

/** The fewest hex digits that a digest is recognised by: among 20 000 digests, chance finds one in 200 000. */
const FEWEST_DIGITS = 8

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

/** Everything in a header that can be a digest, in one encoding or another, the plainest first. */
export function readingsOf(signature: string): Reading[] {
  const readings = new Map<string, Reading>()
  const add = (name: string, reading: Reading) => {
    if (!readings.has(name) && readings.size < MOST_READINGS) readings.set(name, reading)
  }
  for (const { text, differences } of candidatesIn(signature.slice(0, MOST_CHARACTERS))) {
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
      if (sizes[0] === 32 || hex.length < FEWEST_DIGITS) continue
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
  const lowercase = signature.slice(0, MOST_CHARACTERS).toLowerCase()
  const isWhole = [...readings.values()].some(({ code }) => code === 'signature_format')
  if (!isWhole && signature.length >= FEWEST_PRINTED && signature.length <= MOST_PRINTED) {
    for (const [what, print] of PRINTED) {
      add(what, {
        differences: [what],
        code: 'signature_format',
        sizes: [32],
        matches: (digest) => print(digest) === lowercase,
      })
    }
  }
  return [...readings.values()]
}

/** What is wrong with the format of a signature that could not be read as any digest that fits. */
export function signatureFormat(signature: string, readings: readonly Reading[]): Finding | undefined {
  if (isDigest(signature)) return undefined
  const found = readings.find(({ code }) => code === 'signature_format')?.differences.join(', ')
  const is = found || `${signature.length} characters`
  return {
    code: 'signature_format',
    message: `X-Signature is not 64 lowercase hex digits: it is ${is}.`,
    fix: HEX_FIX,
    evidence: `X-Signature: ${quoted(signature)}`,
  }
}

const bytesOf = (digest: string) => [...Buffer.from(digest, 'hex')]

/** Ways to print bytes that lose or add something, as lowercase text. */
const PRINTED: readonly (readonly [what: string, print: (digest: string) => string])[] = [
  [
    'hex without the zero before a single digit',
    (digest) =>
      bytesOf(digest)
        .map((byte) => byte.toString(16))
        .join(''),
  ],
  ['hex without the zeros at its start', (digest) => digest.replace(/^0+/, '')],
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
  ['one decimal number', (digest) => String(BigInt(`0x${digest}`))],
  ['the bytes as they are', (digest) => Buffer.from(digest, 'hex').toString('latin1').toLowerCase()],
  ['the bytes decoded as UTF-8', (digest) => Buffer.from(digest, 'hex').toString('utf8').toLowerCase()],
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
    .map(({ 0: text, index }) => ({ text, before: decoded.slice(0, index), after: decoded.slice(index + text.length) }))
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
    for (const [inner, differences] of hex.length % 2 === 0 ? encodedIn(inside) : []) {
      digests.push([inner, ['hex twice', ...differences]])
    }
  }
  // So many hex digits in a row are not base64 by chance.
  if (!/^[0-9a-f]{32,}$/i.test(text) && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    const name = /[-_]/.test(text) || (!text.endsWith('=') && text.length % 4 !== 0) ? 'base64url' : 'base64'
    digests.push([bytes.toString('hex'), [`${name} instead of lowercase hex`]])
    for (const [inner, differences] of encodedIn(bytes.toString('latin1'))) {
      digests.push([inner, [`${name} of the hex text`, ...differences]])
    }
  }
  return digests
}

/** The digest inside of what was encoded twice. */
function encodedIn(text: string): [hex: string, differences: string[]][] {
  const trimmed = text.trimEnd()
  if (/^[0-9a-f]{16,}$/i.test(trimmed)) return [[trimmed.toLowerCase(), /[A-F]/.test(trimmed) ? ['in uppercase'] : []]]
  if (/^[A-Za-z0-9+/_-]{22,}={0,2}$/.test(trimmed)) {
    return [[Buffer.from(trimmed, 'base64').toString('hex'), ['of the base64 text']]]
  }
  return []
}
