import { base64, hex, utf8 } from '../bytes.js'

const MASK = '[secret]'
/** Pieces of this length are masked: shorter ones may be words of a message. */
const MIN_PIECE = 8

/** Masks each piece of a secret in a text: plain, escaped, percent-encoded, in hex or in base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of secrets) {
    const bytes = utf8(secret)
    const digits = hex(bytes)
    // The base64 of a text depends on its position in a group of three bytes.
    const groups = [0, 1, 2].map((from) => base64(bytes.subarray(from)).replace(/=+$/, '').slice(0, -1))
    const forms = [
      // Names of headers and hosts arrive in lowercase.
      ...[secret, secret.toLowerCase(), JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())],
      ...[digits, digits.replace(/..(?=.)/g, '$& ')],
      ...groups.flatMap((group) => [group, group.replaceAll('+', '-').replaceAll('/', '_')]),
    ]
    for (const form of new Set(forms)) masked = maskPieces(masked, form)
  }
  return masked
}

function maskPieces(text: string, form: string): string {
  let masked = ''
  for (let start = 0; start < text.length; ) {
    let end = start + MIN_PIECE
    if (end > text.length || !form.includes(text.slice(start, end))) {
      masked += text.charAt(start++)
      continue
    }
    while (end < text.length && form.includes(text.slice(start, end + 1))) end++
    masked += MASK
    start = end
  }
  return masked
}
