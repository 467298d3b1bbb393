import { base64, hex, utf8 } from '../bytes.js'
import { isGuessable } from '../secret-strength.js'

const MASK = '[secret]'

/** The minimum length of a masked piece. For a secret made of words, the minimum is larger, because normal text contains words too. */
const MIN_PIECE = 4
const MIN_PIECE_OF_WORDS = 8

/** Returns the text with each piece of a secret masked. The piece can be plain, escaped, percent-encoded, in hex or in base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const [length, found] of FOUND.get(secrets) ?? piecesOf(secrets)) masked = maskPieces(masked, length, found)
  return masked
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

/** Caches the pieces of each list of secrets, because it takes longer to find the pieces than to mask a short text. */
const FOUND = new WeakMap<readonly string[], ReadonlyMap<number, Pieces>>()

/** Returns the pieces of the secrets, grouped by their length. */
function piecesOf(secrets: readonly string[]): ReadonlyMap<number, Pieces> {
  const byLength = new Map<number, string[]>()
  for (const [length, form] of secrets.flatMap(formsOf)) byLength.set(length, [...(byLength.get(length) ?? []), form])
  const found = new Map<number, Pieces>()
  for (const [length, forms] of byLength) {
    const pieces = new Set<string>()
    for (const form of forms) {
      for (let end = length; end <= form.length; end++) pieces.add(form.slice(end - length, end))
    }
    found.set(length, { forms, pieces })
  }
  FOUND.set(secrets, found)
  return found
}

/** Returns each form of a secret, with the minimum length of a masked piece. A prefix such as `whsec_` is not secret. */
function formsOf(whole: string): (readonly [length: number, form: string])[] {
  const secret = whole.replace(/^[a-z]{2,8}_(?=.{16})/, '')
  const count = isGuessable(secret) ? MIN_PIECE_OF_WORDS : MIN_PIECE
  const bytes = utf8(secret)
  const digits = hex(bytes)
  // The secret can be in the name of a header or a host, which is in lowercase.
  const plain = [secret, secret.toLowerCase(), JSON.stringify(secret).slice(1, -1)]
  // Base64 encodes three bytes at a time, so the base64 of the secret depends on the bytes before it.
  const groups = [0, 1, 2].map((from) => base64(bytes.subarray(from)).replace(/=+$/, '').slice(0, -1))
  const inBase64 = groups.flatMap((group) => [group, group.replaceAll('+', '-').replaceAll('/', '_')])
  return [
    ...[...plain, encodeURIComponent(secret.toWellFormed())].map((form) => [count, form] as const),
    [2 * count, digits],
    [3 * count - 1, digits.replace(/..(?=.)/g, '$& ')],
    ...inBase64.map((form) => [Math.ceil((count * 4) / 3), form] as const),
  ]
}
