import { base64, hex, utf8 } from '../bytes.js'

const MASK = '[secret]'
/** Pieces of at least this length are masked. Shorter pieces may be words of a message. */
const MIN_PIECE = 8

/** Returns the text with each piece of a secret masked: plain, escaped, percent-encoded, in hex or in base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const { forms, pieces } = FOUND.get(secrets) ?? piecesOf(secrets)
  let masked = ''
  let kept = 0
  for (let start = 0; start + MIN_PIECE <= text.length; start++) {
    let end = start + MIN_PIECE
    if (!pieces.has(text.slice(start, end))) continue
    while (end < text.length && forms.some((form) => form.includes(text.slice(start, end + 1)))) end++
    masked += text.slice(kept, start) + MASK
    kept = end
    start = end - 1
  }
  return masked + text.slice(kept)
}

/** Returns the forms in which a text may contain a secret. */
function formsOf(secret: string): string[] {
  const bytes = utf8(secret)
  const digits = hex(bytes)
  // The base64 of a text depends on its position in a group of three bytes.
  const groups = [0, 1, 2].map((from) => base64(bytes.subarray(from)).replace(/=+$/, '').slice(0, -1))
  return [
    // Names of headers and hosts arrive in lowercase.
    ...[secret, secret.toLowerCase(), JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())],
    ...[digits, digits.replace(/..(?=.)/g, '$& ')],
    ...groups.flatMap((group) => [group, group.replaceAll('+', '-').replaceAll('/', '_')]),
  ]
}

interface Pieces {
  readonly forms: readonly string[]
  readonly pieces: ReadonlySet<string>
}

/** Caches the pieces of each list of secrets, because finding them takes longer than masking a short text. */
const FOUND = new WeakMap<readonly string[], Pieces>()

/** Returns the forms of the secrets, and each piece of a form with `MIN_PIECE` characters. */
function piecesOf(secrets: readonly string[]): Pieces {
  const forms = secrets.flatMap(formsOf)
  const pieces = new Set<string>()
  for (const form of forms) {
    for (let end = MIN_PIECE; end <= form.length; end++) pieces.add(form.slice(end - MIN_PIECE, end))
  }
  FOUND.set(secrets, { forms, pieces })
  return { forms, pieces }
}
