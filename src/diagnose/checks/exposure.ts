import { base64, fromBase64, fromHex, fromUtf8, hex, utf8 } from '../bytes.js'
import { type Draft, joinWords, listNames } from '../text.js'
import type { Pair } from './headers.js'

/** A shorter secret may be in a header by chance. */
const MIN_SECRET = 6

/** Longer headers and bodies are not searched. */
const MAX_LENGTH = 1_000_000

/** Reports a secret in the headers or the body: plain, percent-encoded, in base64 or in hex, alone or inside another text. */
export function checkExposure(pairs: readonly Pair[], body: Uint8Array, secrets: readonly string[]): Draft[] {
  const long = secrets
    .flatMap((secret) => [secret, secret.trim(), withoutPrefix(secret)])
    .filter((secret) => secret.length >= MIN_SECRET)
  const texts = long.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
  const hides = (text: string) => texts.some((secret) => text.includes(secret))
  const isHeld = (value: string) =>
    value.length <= MAX_LENGTH && (hides(value) || wordsOf(value).some((word) => hides(decode(word))))
  const holders = pairs
    .filter(([, value]) => isHeld(value))
    .map(([name]) => (name === ':path' ? 'the URL' : listNames([name])))
  const names = [...new Set(holders), ...(body.length <= MAX_LENGTH && hides(fromUtf8(body)) ? ['the body'] : [])]
  if (names.length === 0) return []
  const message = `The secret itself is in ${joinWords(names, 'and')}. Replace it now: everything on the way can read it.`
  return [{ code: 'secret_exposed', message, fix: 'replace_secret' }]
}

const wordsOf = (value: string) => value.split(/[^\w+/=-]+|=(?=[^=])/)

/** The text that a word encodes. */
function decode(word: string): string {
  const bytes = fromHex(word) ?? fromBase64(word)
  return bytes === undefined ? '' : fromUtf8(bytes)
}

/** `whsec_` and others. What follows is as secret. */
const withoutPrefix = (secret: string) => secret.replace(/^[a-z]{2,8}_(?=.{16})/, '')

const MASK = '[secret]'
/** Pieces of this length are masked: shorter ones may be words of a message. */
const MIN_PIECE = 8

/** Masks each piece of a secret in a text: plain, escaped, percent-encoded, in hex or in base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of secrets) {
    const bytes = utf8(secret)
    const digits = hex(bytes)
    // In base64, a text has another form in each place of a group of three bytes.
    const groups = [0, 1, 2].map((from) => base64(bytes.subarray(from)).replace(/=+$/, '').slice(0, -1))
    const forms = [
      ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())],
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
