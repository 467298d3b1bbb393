import { base64, fromLatin1, fromUtf8, hex, isUtf8, latin1, utf8 } from '../bytes.js'
import { decodeStandardSecret, isPublicKey } from '../schemes.js'
import { isGuessable } from '../secret-strength.js'
import { formEncode, percentEncode } from './hypotheses/body-formats.js'

const MASK = '[secret]'

/** The minimum length of a masked piece. For a secret made of words, the minimum is larger, because normal text contains words too. */
const MIN_PIECE = 4
const MIN_PIECE_OF_WORDS = 8

/** Masks the secrets in a value of a request. Each value is masked before it becomes a part of a sentence for the user. */
export type Mask = (value: string) => string

/** Returns a function that masks each piece of the secrets: plain, escaped, percent-encoded, in hex or in base64. */
export function maskWith(secrets: readonly string[], minimum?: number): Mask {
  const keys = secrets.flatMap((secret) => decodeStandardSecret(secret, true) ?? [])
  const texts = keys.flatMap((key) => [hex(key), ...(isUtf8(key) ? [fromUtf8(key)] : [])])
  const pieces = piecesOf([...secrets, ...texts], minimum)
  return (value) => {
    let masked = value
    for (const [length, found] of pieces) masked = maskPieces(masked, length, found)
    return masked
  }
}

/** Caches a function for each list of secrets, because it takes longer to find the pieces than to mask a short text. */
const MASKS = new WeakMap<readonly string[], Mask>()

export function maskSecrets(text: string, secrets: readonly string[]): string {
  const mask = MASKS.get(secrets) ?? maskWith(secrets)
  MASKS.set(secrets, mask)
  return mask(text)
}

export function maskBytes(bytes: Uint8Array, secrets: readonly string[], minimum?: number): Uint8Array {
  const text = fromLatin1(bytes)
  // The bytes are decoded as Latin-1, so a secret with a character outside ASCII looks different in this text.
  const masked = maskWith([...secrets, ...secrets.map((secret) => fromLatin1(utf8(secret)))], minimum)(text)
  return masked === text ? bytes : latin1(masked)
}

interface Pieces {
  /** The secrets in each form in which they can be written, for example in hex. */
  readonly forms: readonly string[]
  /** All pieces of these forms that have exactly the minimum length. */
  readonly pieces: ReadonlySet<string>
}

function maskPieces(text: string, length: number, { forms, pieces }: Pieces): string {
  let masked = ''
  let kept = 0
  for (let start = 0; start + length <= text.length; start++) {
    let end = start + length
    if (!pieces.has(text.slice(start, end))) continue
    while (end < text.length && forms.some((form) => form.includes(text.slice(start, end + 1)))) end++
    masked += text.slice(kept, start) + MASK
    kept = end
    start = end - 1
  }
  return masked + text.slice(kept)
}

/** Returns the pieces of the secrets, grouped by their length. */
function piecesOf(secrets: readonly string[], minimum?: number): ReadonlyMap<number, Pieces> {
  const byLength = new Map<number, string[]>()
  for (const [length, form] of secrets.flatMap((secret) => formsOf(secret, minimum)))
    byLength.set(length, [...(byLength.get(length) ?? []), form])
  const found = new Map<number, Pieces>()
  for (const [length, forms] of byLength) {
    const pieces = new Set<string>()
    for (const form of forms) {
      for (let end = length; end <= form.length; end++) pieces.add(form.slice(end - length, end))
    }
    found.set(length, { forms, pieces })
  }
  return found
}

/** Returns each form of a secret, with the minimum length of a masked piece. A prefix such as `whsec_` is not secret, and no public key is. */
function formsOf(whole: string, minimum?: number): (readonly [length: number, form: string])[] {
  if (isPublicKey(whole)) return []
  const secret = whole.replace(/^(v1a?,)?[a-z]{2,8}_(?=.{16})/, '')
  const least = minimum ?? (isGuessable(secret) ? MIN_PIECE_OF_WORDS : MIN_PIECE)
  const count = Math.max(MIN_PIECE, Math.min(least, secret.length))
  const bytes = utf8(secret)
  const digits = hex(bytes)
  // The secret can be in the name of a header or a host, which is in lowercase.
  const plain = [secret, secret.toLowerCase(), JSON.stringify(secret).slice(1, -1)]
  const percent = [encodeURIComponent(secret.toWellFormed()), percentEncode(secret), formEncode(secret)]
  const inLowercase = percent.map((form) => form.replace(/%../g, (byte) => byte.toLowerCase()))
  // Base64 encodes three bytes at a time, so the base64 of the secret depends on the bytes before it.
  const groups = [0, 1, 2].map((from) => base64(bytes.subarray(from)).replace(/=+$/, '').slice(0, -1))
  const inBase64 = groups.flatMap((group) => [group, group.replaceAll('+', '-').replaceAll('/', '_')])
  const inHex = [digits, digits.toUpperCase()]
  return [
    ...[...plain, ...percent, ...inLowercase].map((form) => [count, form] as const),
    ...inHex.map((form) => [2 * count, form] as const),
    ...inHex.map((form) => [3 * count - 1, form.replace(/..(?=.)/g, '$& ')] as const),
    ...inBase64.map((form) => [Math.min(Math.ceil((count * 4) / 3), form.length), form] as const),
  ].filter(([length]) => length >= MIN_PIECE)
}
